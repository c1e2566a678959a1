import { Elysia, t } from 'elysia'
import { answerFile } from '../attachments/download'
import { auditSourceOf, recordAudit } from '../auth/audit/audit-log'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import { notFound, unavailable } from '../errors'
import { translatable } from '../messages/message'
import { withTimeout } from '../timeout'
import { recordDownload } from './downloads'
import { listStatement, oneStatement } from './log'
import { Backup, BackupOverview, BackupPatch, type RunningBackupView, StartedBackup } from './model'
import type { RunningBackup } from './schedule/backups'
import { exclusivelyOn } from './schedule/hold-lock'
import { keepFileText, toKeepFileName } from './schedule/retention'
import { type BackupStore, oneChunk, type Stored } from './store'
import type { WalArchiver } from './wal/process'
import { findBackups, maxWaitMs, nameIn } from './whereabouts'

const shownBackups = 100

/** A row that `log.ts` selects. */
type Row = Omit<Backup, 'isThere' | 'isHeld' | 'tables' | 'records' | 'attachments'> & {
  contents: { tables: number; records: number; attachments: number } | null
}

const file = { 'application/octet-stream': { schema: { type: 'string' as const, format: 'binary' } } }

const Id = t.Object({ id: t.String({ format: 'uuid' }) })

export const backupRoutes = (deps: Deps) => {
  const { db, backups, walArchiver, config, events } = deps
  /** Null if the backup store does not respond in time. */
  const listStored = async (): Promise<ReadonlyMap<string, Stored> | null> => {
    try {
      return await withTimeout(backups.store?.list() ?? Promise.resolve(new Map()), maxWaitMs, () => null)
    } catch (error) {
      events.emit({ kind: 'background_failed', task: 'listing backups', error })
      return null
    }
  }
  const viewsOf = async (rows: readonly Row[]): Promise<Backup[]> => {
    const { store } = backups
    const stored = await listStored()
    const found = await findBackups(
      rows.flatMap(({ place }) => place ?? []),
      { store, stored, config },
    )
    return rows.map(({ contents, ...row }) => {
      const { tables = null, records = null, attachments = null } = contents ?? {}
      const name = nameIn(store, row.place)
      const size = row.place === null ? 'gone' : found.get(row.place)!
      // A file whose size differs from the backup's is not that backup.
      const isThere = size === 'unknown' ? null : row.bytes !== null && size === row.bytes
      return { ...row, isThere, isHeld: name !== null && (stored?.has(toKeepFileName(name)) ?? false), tables, records, attachments }
    })
  }
  const viewOf = async (id: string): Promise<Backup> => (await viewsOf([await find(id)]))[0]!
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
        const running = backups.running() // First: once none is running, the rest knows of the last one.
        const [views, nextAt, { state }] = await Promise.all([
          db.query<Row>(listStatement, [String(shownBackups)]).then(viewsOf),
          backups.nextAt(),
          backups.state(),
        ])
        return {
          folder: backups.store?.place ?? null,
          schedule: config.backupSchedule.text,
          nextAt: nextAt?.toISOString() ?? null,
          state,
          running: running && runningView(running),
          walArchive: archiveView(config.walArchive, walArchiver.state()),
          backups: views,
        }
      },
      {
        role: 'admin',
        response: BackupOverview,
        detail: {
          summary: 'List the backups',
          description: 'Backups of the service with their results, the running one, and the time of the next one.',
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
          summary: 'Create a backup',
          description: 'Writes to ROWHOUSE_BACKUP_TO. The response is immediate; the list shows the progress and the result.',
        },
      },
    )
    .get('/:id', ({ params }) => viewOf(params.id), {
      role: 'admin',
      params: Id,
      response: Backup,
      detail: { summary: 'Get a backup' },
    })
    .patch(
      '/:id',
      async ({ actor, body, params, request }) => {
        const backup = await viewOf(params.id)
        const { store, name } = requireStored(backups.store, backup)
        if (body.isHeld !== backup.isHeld) {
          if (body.isHeld) await exclusivelyOn(db.sql)(() => holdStored(store, name, request.signal))
          else await store.remove(toKeepFileName(name))
          const kind = body.isHeld ? 'backup_held' : 'backup_released'
          await recordAudit(db, { kind, result: 'ok', subjectId: params.id, ...auditSourceOf(request, actor) })
        }
        return { ...backup, isHeld: body.isHeld }
      },
      {
        role: 'admin',
        params: Id,
        body: BackupPatch,
        response: Backup,
        detail: {
          summary: 'Keep a backup, or allow its removal',
          description:
            'A backup of the schedule that is held is not removed by ROWHOUSE_BACKUP_KEEP. The hold is a file beside it (`….keep`), so it outlives the database.',
        },
      },
    )
    .get(
      '/:id/file',
      async ({ actor, params, request }) => {
        const backup = await viewOf(params.id)
        // A row of the database could name any file of this machine, so only files in the backup store are sent.
        const { store, name, bytes } = requireStored(backups.store, backup)
        const representation = { name, type: 'application/octet-stream', size: bytes, tag: params.id }
        return answerFile({ request, actor, isDownload: true }, representation, async (slice) => {
          await recordDownload(db, { request, actor, backupId: params.id, slice })
          return store.read(name, slice)
        })
      },
      {
        role: 'admin',
        params: Id,
        detail: {
          summary: 'Download a backup',
          description: 'The file as it was written, with ranges. It holds all data and the hashes of passwords and tokens.',
          responses: {
            200: { description: 'The file.', content: file },
            206: { description: 'The range.', content: file },
            404: { description: 'The file no longer exists.' },
          },
        },
      },
    )
}

/** @throws Failure not_found for a backup that is gone or elsewhere, unavailable if its bucket does not respond */
function requireStored(store: BackupStore | null, { place, isThere, bytes }: Backup): { store: BackupStore; name: string; bytes: number } {
  if (isThere === false || bytes === null) throw fileIsGone()
  const name = nameIn(store, place)
  if (name === null || store === null)
    throw notFound(translatable('Only backups in the location of {setting} can be downloaded or held.', { setting: 'ROWHOUSE_BACKUP_TO' }))
  if (isThere === null) throw unavailable(translatable('The location of the backups does not respond.'), 10)
  return { store, name, bytes }
}

/** @throws Failure not_found if the backup was removed in the meantime */
async function holdStored(store: BackupStore, name: string, signal: AbortSignal): Promise<void> {
  const hold = toKeepFileName(name)
  await store.write(hold, oneChunk(keepFileText), signal)
  if ((await store.list(name)).has(name)) return
  await store.remove(hold)
  throw fileIsGone()
}

const fileIsGone = () => notFound(translatable('The file of this backup no longer exists.'))

function archiveView(place: string | undefined, { state, archiver }: ReturnType<WalArchiver['state']>): BackupOverview['walArchive'] {
  if (place === undefined || state === 'off' || state === 'unused') return null
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
