import { Button, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiError, toErrorMessage } from '../api/api-error'
import { useStrings } from '../language'
import { Icon, type IconName } from './icon'

type EmptyStateProps = { icon: IconName; title: string; text: string; children?: ReactNode }

/** An empty state, which names the missing content and says how to add it. */
export const EmptyState = ({ icon, title, text, children }: EmptyStateProps) => (
  <div className="state">
    <span className="state-icon">
      <Icon name={icon} size={26} />
    </span>
    <p className="state-title">{title}</p>
    <p className="soft">{text}</p>
    {children}
  </div>
)

/** An error state, with a retry button unless the caller lacks a right. */
export function ErrorState({ error, retry }: { error: unknown; retry: () => unknown }) {
  const strings = useStrings()
  const isForbidden = error instanceof ApiError && error.status === 403
  return (
    <div className="state" role="alert">
      <span className="state-icon is-failed">
        <Icon name="warning" size={26} />
      </span>
      {isForbidden ? null : <p className="state-title">{strings.shell.failed}</p>}
      <p className="soft">{toErrorMessage(error, strings)}</p>
      {isForbidden ? null : (
        <Button variant="default" onClick={() => void retry()}>
          {strings.shell.tryAgain}
        </Button>
      )}
    </div>
  )
}

const widths = ['70%', '92%', '80%', '88%', '62%', '84%']

/** Placeholder lines, so that nothing moves when the content arrives. They appear after a delay. */
function Loading({ lines = 4 }: { lines?: number }) {
  const { shell } = useStrings()
  return (
    <div className="loading" role="status" aria-label={shell.loading}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical and never move
        <Skeleton key={line} height={14} width={widths[line % widths.length]} />
      ))}
    </div>
  )
}

type QueryResult<T> = { data: T | undefined; error: unknown; refetch: () => unknown }

/** The three states of a query: loading, failed, or its data. */
export function Await<T>({ query, lines, children }: { query: QueryResult<T>; lines?: number; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return children(query.data)
  return query.error ? <ErrorState error={query.error} retry={query.refetch} /> : <Loading lines={lines} />
}
