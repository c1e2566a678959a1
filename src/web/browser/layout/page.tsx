import { type ReactNode, useEffect, useRef } from 'react'
import { isExpired } from '../api/session-expiry'

let isFirst = true

type PageProps = { title: string; actions?: ReactNode; isNarrow?: boolean; isGrid?: boolean; children: ReactNode }

/** A page inside the shell: its title names the document too, and takes the focus when one comes here from another page. */
export function Page({ title, actions, isNarrow, isGrid, children }: PageProps) {
  const heading = usePageTitle(title)
  return (
    <div className={isNarrow ? 'page is-narrow' : isGrid ? 'page is-grid' : 'page'}>
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions ? <div className="page-actions">{actions}</div> : null}
      </div>
      {children}
    </div>
  )
}

/** So that screen readers say where one is; the first page of a visit is announced by the browser itself. */
function usePageTitle(title: string) {
  const heading = useRef<HTMLHeadingElement>(null)
  useDocumentTitle(title)
  useEffect(() => {
    // The question for a new session lies over the page, and keeps the focus.
    if (!isFirst && !isExpired()) heading.current?.focus({ preventScroll: true })
    isFirst = false
  }, [])
  return heading
}

/** For a page inside another one, such as those of the settings. */
export function useDocumentTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Rowhouse`
  }, [title])
}
