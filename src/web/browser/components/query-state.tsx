import { Button, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { wordsFor } from '../api/api-error'
import { useStrings } from '../language'
import { Icon, type IconName } from './icon'

type EmptyProps = { icon: IconName; title: string; text: string; children?: ReactNode }

/** There is nothing yet, why, and what to do about it. */
export const Empty = ({ icon, title, text, children }: EmptyProps) => (
  <div className="state">
    <span className="state-icon">
      <Icon name={icon} size={26} />
    </span>
    <p className="state-title">{title}</p>
    <p className="soft">{text}</p>
    {children}
  </div>
)

/** It could not be loaded: why, and once more. */
export function Failed({ error, retry }: { error: unknown; retry: () => unknown }) {
  const strings = useStrings()
  return (
    <div className="state" role="alert">
      <span className="state-icon is-failed">
        <Icon name="warning" size={26} />
      </span>
      <p className="state-title">{strings.shell.failed}</p>
      <p className="soft">{wordsFor(error, strings)}</p>
      <Button variant="default" onClick={() => void retry()}>
        {strings.shell.tryAgain}
      </Button>
    </div>
  )
}

const widths = ['70%', '92%', '80%', '88%', '62%', '84%']

/** Lines where the content will be, so that nothing jumps when it comes. They appear only when it takes a while. */
function Loading({ lines = 4 }: { lines?: number }) {
  const { shell } = useStrings()
  return (
    <div className="loading" role="status" aria-label={shell.loading}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike and never move
        <Skeleton key={line} height={14} width={widths[line % widths.length]} />
      ))}
    </div>
  )
}

type Loaded<T> = { data: T | undefined; error: unknown; refetch: () => unknown }

/** What every screen that reads something does: waits, tells why it failed, or shows it. */
export function Await<T>({ query, lines, children }: { query: Loaded<T>; lines?: number; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return children(query.data)
  return query.error ? <Failed error={query.error} retry={query.refetch} /> : <Loading lines={lines} />
}
