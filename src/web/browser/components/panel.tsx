import type { ReactNode } from 'react'

type PanelProps = { title: string; text?: ReactNode; action?: ReactNode; children?: ReactNode }

/** A section of a page with its own heading. */
export const Panel = ({ title, text, action, children }: PanelProps) => (
  <section className="panel">
    <div className="panel-head">
      <div>
        <h2>{title}</h2>
        {text ? <p className="soft">{text}</p> : null}
      </div>
      {action}
    </div>
    {children}
  </section>
)
