import { t } from 'elysia'

const Time = (description: string) => t.String({ format: 'date-time', description })
const Count = (description: string) => t.Nullable(t.Integer({ description }))

/** A backup that has ended. */
export const Backup = t.Object({
  id: t.String({ format: 'uuid' }),
  state: t.Union([t.Literal('proven'), t.Literal('unproven'), t.Literal('failed')], {
    description: 'proven: restored, started and compared. unproven: the file exists, and could not be restored. failed: there is no file.',
  }),
  origin: t.Union([t.Literal('schedule'), t.Literal('request'), t.Literal('command')]),
  requestedBy: t.Nullable(t.String({ format: 'uuid', description: 'Id of the user who requested it.' })),
  place: t.Nullable(t.String({ description: 'Path of the file, or its address in a bucket.' })),
  isThere: t.Nullable(t.Boolean({ description: 'Whether the file still exists; null if its disk or bucket does not respond.' })),
  isHeld: t.Boolean({ description: 'Whether it is protected from removal by ROWHOUSE_BACKUP_KEEP.' }),
  bytes: Count('The size of the file.'),
  tables: Count('Tables in it.'),
  records: Count('Records in it.'),
  attachments: Count('Attachments in it.'),
  problem: t.Nullable(t.String({ description: 'Why it is not proven, in English.' })),
  startedAt: Time('When it began: everything that was acknowledged before is in it.'),
  finishedAt: Time('When it had been tried out.'),
})
export type Backup = typeof Backup.static

export const BackupPatch = t.Object({ isHeld: Backup.properties.isHeld }, { additionalProperties: false })

const RunningBackup = t.Object({
  origin: t.Union([t.Literal('schedule'), t.Literal('request'), t.Literal('command')]),
  startedAt: Time('When it began.'),
  step: t.Nullable(t.Union([t.Literal('Copying'), t.Literal('Trying it out'), t.Literal('Sending')])),
  doneBytes: t.Integer({ description: 'Bytes of this step that are done.' }),
  totalBytes: Count('The approximate size of this step; null if unknown.'),
})

export const BackupOverview = t.Object({
  folder: t.Nullable(t.String({ description: 'Folder or URL to which the service writes backups (ROWHOUSE_BACKUP_TO); null: none.' })),
  schedule: t.String({ description: 'Fields of crontab and a time zone (ROWHOUSE_BACKUP_SCHEDULE).' }),
  nextAt: t.Nullable(Time('When the schedule makes the next one.')),
  state: t.Union([t.Literal('off'), t.Literal('ok'), t.Literal('failed'), t.Literal('late')], {
    description:
      'failed: the last one that the service has made is not proven. late: the last proven one that is still there is older than two times of the schedule.',
  }),
  running: t.Nullable(RunningBackup),
  walArchive: t.Nullable(
    t.Object({
      place: t.String({ description: 'Folder or URL of the archive of the log (ROWHOUSE_WAL_ARCHIVE).' }),
      state: t.Union([t.Literal('ok'), t.Literal('late')], {
        description: 'late: it cannot be written, or lags by more than a minute.',
      }),
      archivedAt: t.Nullable(Time('When the last segment came.')),
      waiting: t.Integer({ description: 'Segments that are not archived yet.' }),
      problem: t.Nullable(t.String({ description: 'Why nothing is archived, in English.' })),
    }),
    { description: 'null: the log is not archived.' },
  ),
  backups: t.Array(Backup, { description: 'The last 100, newest first.' }),
})
export type BackupOverview = typeof BackupOverview.static
export type RunningBackupView = typeof RunningBackup.static

export const StartedBackup = t.Object({ running: RunningBackup })
