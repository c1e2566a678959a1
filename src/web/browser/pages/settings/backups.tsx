import { Anchor, Button } from '@mantine/core'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import type { Backup, BackupOverview } from '../../../../backup/model'
import { toErrorMessage } from '../../api/api-error'
import { api, unwrap } from '../../api/client'
import { queryClient } from '../../api/queries'
import { Panel } from '../../components/panel'
import { Await, EmptyState } from '../../components/query-state'
import { useStrings } from '../../language'
import { useDocumentTitle } from '../../layout/page'
import { formatAgo, formatBytes, formatNumber, formatTimestamp } from '../../values/format'

const watchEveryMs = 1000

const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: (): Promise<BackupOverview> => unwrap(api.backups.get()),
  refetchInterval: ({ state: { data } }) => (data?.running ? watchEveryMs : data?.walArchive ? 10_000 : 60_000),
})

/** The backups of the service, the one that is running, and the schedule. */
export function BackupsPage() {
  const strings = useStrings()
  const { backups: words } = strings
  useDocumentTitle(words.title)
  const query = useQuery(backupsQuery)
  const begin = useMutation({
    mutationFn: () => unwrap(api.backups.post()),
    onSettled: () => queryClient.invalidateQueries(backupsQuery),
  })
  const hold = useMutation({
    mutationFn: ({ id, isHeld }: { id: string; isHeld: boolean }) => unwrap(api.backups({ id }).patch({ isHeld })),
    onSettled: () => queryClient.invalidateQueries(backupsQuery),
  })
  const error = begin.error ?? hold.error
  const { folder = null, running = null } = query.data ?? {}
  return (
    <Panel
      title={words.title}
      text={words.text}
      action={
        folder === null ? undefined : (
          <Button aria-busy={begin.isPending} disabled={running !== null} onClick={() => begin.mutate()}>
            {words.now}
          </Button>
        )
      }
    >
      <p role="alert" className="alert">
        {error ? toErrorMessage(error, strings) : ''}
      </p>
      <Await query={query} lines={6}>
        {(overview) => (
          <>
            <Schedule overview={overview} />
            <WalArchive archive={overview.walArchive} />
            <Running running={overview.running} />
            {overview.backups.length === 0 ? (
              <EmptyState icon="download" title={words.none} text={words.noneText} />
            ) : (
              <ul className="rows">
                {overview.backups.map((backup) => (
                  <BackupRow
                    key={backup.id}
                    backup={backup}
                    folder={overview.folder}
                    isChanging={hold.isPending}
                    onHold={(isHeld) => hold.mutate({ id: backup.id, isHeld })}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Await>
    </Panel>
  )
}

function Schedule({ overview: { folder, schedule, nextAt, state } }: { overview: BackupOverview }) {
  const { backups: words } = useStrings()
  if (folder === null) return <p className="soft">{words.off}</p>
  return (
    <dl className="pairs">
      <dt>{words.folder}</dt>
      <dd className="mono breakable">{folder}</dd>
      <dt>{words.schedule}</dt>
      <dd className="mono">{schedule}</dd>
      <dt>{words.next}</dt>
      <dd>
        {nextAt === null ? words.never : formatTimestamp(nextAt)}{' '}
        {state === 'late' ? <span className="badge is-warning">{words.late}</span> : null}
      </dd>
    </dl>
  )
}

/** The archive of the write-ahead log, which continues each backup. */
function WalArchive({ archive }: { archive: BackupOverview['walArchive'] }) {
  const { backups: words } = useStrings()
  if (archive === null) return null
  const { place, state, archivedAt, waiting, problem } = archive
  return (
    <>
      <dl className="pairs">
        <dt>{words.walArchive}</dt>
        <dd className="mono breakable">{place}</dd>
        <dt>{words.archived}</dt>
        <dd>
          {archivedAt === null ? words.notYet : formatTimestamp(archivedAt)} {waiting > 0 ? words.waiting(waiting) : null}{' '}
          {state === 'late' ? <span className="badge is-warning">{words.late}</span> : null}
        </dd>
      </dl>
      {problem === null ? null : <p className="alert">{problem}</p>}
    </>
  )
}

/** Always rendered, so that screen readers announce it. */
function Running({ running }: { running: BackupOverview['running'] }) {
  const { backups: words } = useStrings()
  return (
    <div role="status">
      {running ? (
        <p className="notice">
          {words.steps[running.step ?? 'Copying']}{' '}
          {running.totalBytes
            ? `${formatBytes(running.doneBytes)} / ${formatBytes(Math.max(running.totalBytes, running.doneBytes))}`
            : formatBytes(running.doneBytes)}
        </p>
      ) : null}
    </div>
  )
}

type RowProps = { backup: Backup; folder: string | null; isChanging: boolean; onHold: (isHeld: boolean) => void }

function BackupRow({ backup, folder, isChanging, onHold }: RowProps) {
  const { backups: words } = useStrings()
  const { id, state, origin, startedAt, finishedAt, bytes, tables, records, attachments, place, isThere, isHeld, problem } = backup
  const seconds = Math.max(1, Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000))
  const isHere = isThere && folder !== null && place?.startsWith(folder)
  const facts = [
    words.origins[origin],
    words.took(formatNumber(seconds)),
    ...(bytes === null ? [] : [formatBytes(bytes)]),
    ...(tables === null ? [] : [words.contents(tables, records ?? 0, attachments ?? 0)]),
    ...(isHeld || (isHere && origin !== 'schedule') ? [words.kept] : []),
  ]
  return (
    <li>
      <div>
        <h3>
          {formatTimestamp(startedAt)} <span className={state === 'proven' ? 'badge' : 'badge is-warning'}>{words.states[state]}</span>
        </h3>
        <p className="facts">
          {formatAgo(startedAt, Date.now())} · {facts.join(' · ')}
        </p>
        {place === null ? null : <p className="facts mono breakable">{place}</p>}
        {problem === null ? null : <p className="alert">{problem}</p>}
      </div>
      {place === null ? null : (
        <div className="row-actions">
          {isHere ? (
            <>
              {isHeld || origin === 'schedule' ? (
                <Button
                  variant="default"
                  size="xs"
                  aria-label={(isHeld ? words.releaseOf : words.holdOf)(formatTimestamp(startedAt))}
                  disabled={isChanging}
                  onClick={() => onHold(!isHeld)}
                >
                  {isHeld ? words.release : words.hold}
                </Button>
              ) : null}
              <Anchor href={`/api/v1/backups/${id}/file`} aria-label={words.downloadOf(formatTimestamp(startedAt))} download>
                {words.download}
              </Anchor>
            </>
          ) : (
            <span className="facts">{isThere === null ? words.unreachable : isThere ? '' : words.gone}</span>
          )}
        </div>
      )}
    </li>
  )
}
