import { type ReactNode, useEffect, useRef } from 'react'
import { isSessionExpired } from '../api/session-expiry'

let isFirst = true

type PageProps = { title: string; above?: ReactNode; actions?: ReactNode; isNarrow?: boolean; isGrid?: boolean; children: ReactNode }

/**
 * A page inside the shell. Its title is also the document title, and takes the focus after navigation.
 * @param above the link back to the parent page
 */
export function Page({ title, above, actions, isNarrow, isGrid, children }: PageProps) {
  const heading = usePageTitle(title)
  return (
    <div className={isNarrow ? 'page is-narrow' : isGrid ? 'page is-grid' : 'page'}>
      {above}
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

/**
 * Screen readers announce the new page by its focused heading. The browser announces the first page of a visit itself.
 */
function usePageTitle(title: string) {
  const heading = useRef<HTMLHeadingElement>(null)
  useDocumentTitle(title)
  useEffect(() => {
    // The sign-in dialog covers the page and keeps the focus.
    if (!isFirst && !isSessionExpired()) heading.current?.focus({ preventScroll: true })
    isFirst = false
  }, [])
  return heading
}

/** For a nested page, such as a settings tab. */
export function useDocumentTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Rowhouse`
  }, [title])
}
