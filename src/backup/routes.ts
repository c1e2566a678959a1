import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { Elysia, t } from 'elysia'
import { answerFile } from '../attachments/download'
import { auditSourceOf, recordAudit } from '../auth/audit/audit-log'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import { notFound } from '../errors'
import { translatable } from '../messages/message'
import { listStatement, oneStatement } from './log'
import { Backup, BackupOverview, type RunningBackupView, StartedBackup } from './model'
import type { RunningBackup } from './schedule/backups'
import type { BackupStore, Stored } from './store'
import type { WalArchiver } from './wal/process'

const shownBackups = 100

/** As `log.ts` selects it. */
type Row = Omit<Backup, 'isThere' | 'tables' | 'records' | 'attachments'> & {
  contents: { tables: number; records: number; attachments: number } | null
}

const Id = t.Object({ id: t.String({ format: 'uuid' }) })

export const backupRoutes = (deps: Deps) => {
  const { db, backups, walArchiver, config, events } = deps
  /** Of what is kept where the service writes backups to; empty where that is away. */
  const kept = async (): Promise<ReadonlyMap<string, Stored>> => {
    try {
      return (await backups.store?.list()) ?? new Map()
    } catch (error) {
      events.emit({ kind: 'background_failed', task: 'listing backups', error })
      return new Map()
    }
  }
  /** A file that has another size than the backup is not that backup. */
  const viewOf = ({ contents, ...row }: Row, stored: ReadonlyMap<string, Stored>): Backup => {
    const name = nameIn(backups.store, row.place)
    const size = name === null ? row.place && statSync(row.place, { throwIfNoEntry: false })?.size : stored.get(name)?.bytes
    const { tables = null, records = null, attachments = null } = contents ?? {}
    return { ...row, isThere: row.bytes !== null && size === row.bytes, tables, records, attachments }
  }
  const find = async (id: string): Promise<Row> => {
    const [row] = await db.query<Row>(oneStatement, [id])
    if (!row) throw notFound(translatable('There is no such backup.'))
    return row
  }
  return new Elysia({ name: 'backup/routes', prefix: '/api/v1/backups', tags: ['backups'] })
    .use(authHooks(deps))
    .get(
      '/',
      async (): Promise<BackupOverview> => {
        const [rows, nextAt, { state }, stored] = await Promise.all([
          db.query<Row>(listStatement, [String(shownBackups)]),
          backups.nextAt(),
          backups.state(),
          kept(),
        ])
        const running = backups.running()
        return {
          folder: backups.store?.place ?? null,
          schedule: config.backupSchedule.text,
          nextAt: nextAt?.toISOString() ?? null,
          state,
          running: running && runningView(running),
          walArchive: archiveView(config.walArchive, walArchiver.state()),
          backups: rows.map((row) => viewOf(row, stored)),
        }
      },
      {
        role: 'admin',
        response: BackupOverview,
        detail: {
          summary: 'List the backups',
          description: 'What the service has made or is making, when the next one is due, and what became of each.',
        },
      },
    )
    .post(
      '/',
      async ({ actor, request, status }) => {
        backups.requireIdle()
        await recordAudit(db, { kind: 'backup_requested', result: 'ok', ...auditSourceOf(request, actor) })
        return status(202, { running: runningView(backups.begin(actor.user.id)) })
      },
      {
        role: 'admin',
        response: { 202: StartedBackup },
        detail: {
          summary: 'Make a backup now',
          description: 'Into the folder of ROWHOUSE_BACKUP_TO. The answer comes at once; the list says how far it is and how it ended.',
        },
      },
    )
    .get('/:id', async ({ params }) => viewOf(await find(params.id), await kept()), {
      role: 'admin',
      params: Id,
      response: Backup,
      detail: { summary: 'One backup' },
    })
    .get(
      '/:id/file',
      async ({ actor, params, request }) => {
        const { place, isThere, bytes } = viewOf(await find(params.id), await kept())
        if (place === null || !isThere || bytes === null) throw notFound(translatable('The file of this backup is not there any more.'))
        // Parts of one download are one entry for whoever reads it: the first has the first byte.
        if (/^(bytes=0-|$)/.test(request.headers.get('range') ?? ''))
          await recordAudit(db, { kind: 'backup_downloaded', result: 'ok', subjectId: params.id, ...auditSourceOf(request, actor) })
        // What a row of the database names elsewhere could be any file of this machine.
        const name = nameIn(backups.store, place)
        if (name === null || !backups.store)
          throw notFound(translatable('Only backups in the place of {setting} can be downloaded.', { setting: 'ROWHOUSE_BACKUP_TO' }))
        const { store } = backups
        const representation = { name: basename(place), type: 'application/octet-stream', size: bytes, tag: params.id }
        return answerFile({ request, actor, isDownload: true }, representation, (slice) => store.read(name, slice))
      },
      {
        role: 'admin',
        params: Id,
        detail: {
          summary: 'Download a backup',
          description: 'The file as it was written, with ranges. It holds all data and the hashes of passwords and tokens.',
          responses: {
            200: { description: 'The file.' },
            206: { description: 'The range.' },
            404: { description: 'It is not there any more.' },
          },
        },
      },
    )
}

/** The name of what is directly in the store; null for what is elsewhere. */
const nameIn = (store: BackupStore | null, place: string | null): string | null =>
  store && place?.startsWith(store.place) && !place.slice(store.place.length).includes('/') ? place.slice(store.place.length) : null

function archiveView(place: string | undefined, { state, archiver }: ReturnType<WalArchiver['state']>): BackupOverview['walArchive'] {
  if (place === undefined || state === 'off') return null
  const { archivedAt = null, waiting = 0, problem = null } = archiver ?? {}
  return { place, state, archivedAt, waiting, problem }
}

const runningView = ({ origin, startedAt, progress }: RunningBackup): RunningBackupView => ({
  origin,
  startedAt: startedAt.toISOString(),
  step: progress?.step ?? null,
  doneBytes: progress?.doneBytes ?? 0,
  totalBytes: progress?.totalBytes ?? null,
})
