import { type ReactNode, useEffect } from 'react'
import { Mark } from '../components/icon'
import { useStrings } from '../language'

/** The layout of pages for visitors who are not signed in. */
export function GuestPage({ title, introduction, children }: { title: string; introduction?: string; children?: ReactNode }) {
  const { shell } = useStrings()
  useEffect(() => {
    document.title = `${title} · Rowhouse`
  }, [title])
  return (
    <main className="guest">
      <div className="card">
        <div className="card-head">
          <span className="brand">
            <Mark />
            {shell.product}
          </span>
          <h1>{title}</h1>
          {introduction ? <p className="soft">{introduction}</p> : null}
        </div>
        {children}
      </div>
    </main>
  )
}
