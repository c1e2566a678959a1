import { t } from 'elysia'

const Page = {
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 200, description: 'The maximum number of entries; 50 by default.' })),
  before: t.Optional(t.String({ pattern: '^\\d{1,18}$', description: 'The `nextBefore` of the previous page.' })),
}
export const HistoryQuery = t.Object(Page, { additionalProperties: false })
export type HistoryQuery = typeof HistoryQuery.static

const EntryId = t.String({ description: 'The id of the change. Later changes of a record have greater ids.' })
const nullable = <Of extends Parameters<typeof t.Union>[0][number]>(schema: Of) => t.Union([schema, t.Null()])
const NextBefore = t.Union([t.String(), t.Null()], { description: 'For the next page, as `before`; null at the end.' })

const Author = t.Object(
  {
    userId: nullable(t.String({ format: 'uuid' })),
    credential: nullable(t.Object({ kind: t.String({ description: '`session`, `token`, `link` or `form`.' }), id: t.String() })),
    plugin: t.Union([t.String(), t.Null()], { description: 'The plugin that made the change.' }),
    role: t.Union([t.String(), t.Null()], { description: 'The database role, for a change from outside of Rowhouse, such as by psql.' }),
  },
  { description: 'Who made the change. All null for the service itself.' },
)
export type Author = typeof Author.static

const ChangedValue = t.Object({
  columnId: t.Union([t.String(), t.Null()], { description: 'null for a deleted column.' }),
  name: t.String({ description: 'The present or last name of the column.' }),
  old: t.Unknown({ description: 'null if there was no record.' }),
  new: t.Unknown({ description: 'null if there is no record any more.' }),
})
export type ChangedValue = typeof ChangedValue.static

const actions = t.Union([t.Literal('create'), t.Literal('update'), t.Literal('delete')])

export const Change = t.Object({
  id: EntryId,
  at: t.String({ format: 'date-time', description: 'When the transaction began.' }),
  action: actions,
  pk: t.String({ description: 'The key of the record after the change, as in its URL.' }),
  oldPk: t.Union([t.String(), t.Null()], { description: 'The previous key, if it was changed.' }),
  by: Author,
  requestId: nullable(t.String()),
  changes: t.Array(ChangedValue),
})
export type Change = typeof Change.static

export const ChangePage = t.Object({ changes: t.Array(Change), nextBefore: NextBefore })
export type ChangePage = typeof ChangePage.static

const Deleted = t.Object({
  id: EntryId,
  at: t.String({ format: 'date-time' }),
  pk: t.String(),
  by: Author,
  requestId: nullable(t.String()),
  record: t.Record(t.String(), t.Unknown(), { description: 'Its values by the present names of the columns.' }),
})
export const TrashPage = t.Object({ records: t.Array(Deleted), nextBefore: NextBefore })
export type TrashPage = typeof TrashPage.static

const Request = t.Object({
  requestId: t.Union([t.String(), t.Null()], { description: 'null for changes from outside of Rowhouse; they cannot be undone as one.' }),
  at: t.String({ format: 'date-time' }),
  by: Author,
  created: t.Integer(),
  updated: t.Integer(),
  deleted: t.Integer(),
})
export const RequestPage = t.Object({
  logged: t.Boolean({ description: 'Whether changes of the table are logged.' }),
  requests: t.Array(Request),
  nextBefore: NextBefore,
})
export type RequestPage = typeof RequestPage.static

export const LogSwitch = t.Object({ logged: t.Boolean() }, { additionalProperties: false })

export const RestoreQuery = t.Object(
  { dryRun: t.Optional(t.Boolean({ description: 'Checks everything, and changes nothing.' })) },
  { additionalProperties: false },
)

export const UndoQuery = t.Object(
  {
    dryRun: t.Optional(t.Boolean({ description: 'Checks everything, and changes nothing.' })),
    skipChanged: t.Optional(t.Boolean({ description: 'Skips records that somebody has changed since, instead of refusing.' })),
    confirm: t.Optional(
      t.String({
        maxLength: 100,
        description: 'The `confirm` of the dry run: what was added since to tables that the request created may be lost.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type UndoQuery = typeof UndoQuery.static

const ChangedSince = t.Object({ table: t.String(), tableId: t.String(), pk: t.String(), at: t.String({ format: 'date-time' }), by: Author })
export type ChangedSince = typeof ChangedSince.static

const SinceImport = t.Object(
  {
    records: t.Integer({ description: 'Records that were added, changed or deleted; all if the log was off in the meantime.' }),
    columns: t.Integer({ description: 'Columns that were added or changed.' }),
    files: t.Integer(),
    views: t.Integer({ description: 'View settings of other users.' }),
    forms: t.Integer(),
    shareLinks: t.Integer({ description: 'Share links that can still be opened.' }),
  },
  { description: 'Additions and changes since then.' },
)
export type SinceImport = typeof SinceImport.static

const UndoneTable = t.Object({ id: t.String({ format: 'uuid' }), name: t.String(), records: t.Integer(), since: SinceImport })
export type UndoneTable = typeof UndoneTable.static

export const UndoReport = t.Object({
  requestId: t.String(),
  created: t.Integer({ description: 'Restored records that the request had deleted.' }),
  updated: t.Integer({ description: 'Records that have their earlier values again.' }),
  deleted: t.Integer({ description: 'Records that the request had created, and that are deleted now.' }),
  skipped: t.Integer({ description: 'Records that were skipped, because somebody has changed them.' }),
  changedSince: t.Array(ChangedSince, { description: 'The first 100 of these.' }),
  tables: t.Optional(
    t.Array(UndoneTable, { description: 'Tables that the request had created, and that are deleted with all of their records.' }),
  ),
  confirm: t.Optional(t.String({ description: 'Present if these tables have been used since: the undo needs it as `confirm`.' })),
})
export type UndoReport = typeof UndoReport.static
