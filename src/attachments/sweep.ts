import { lockKeys } from '../db/lock-keys'
import { catalogPath } from '../db/search-path'
import type { Deps } from '../deps'
import { identifier, qualifiedName } from '../tables/ddl'
import type { Column, Table } from '../tables/model'
import { unlessRunning } from '../unless-running'
import { deleteLoose } from './loose-files'

type Sweeping = Pick<Deps, 'db' | 'catalog' | 'storage' | 'storageIdentity' | 'config' | 'events' | 'isServing'>

const maxIntervalMs = 3_600_000
const batchSize = 50

/**
 * Finds the files that no cell names any more, and deletes their bytes after the grace time. Only the cells decide, so
 * it does not matter whether a record, column or table was deleted by the API, by psql or by a foreign key. Several
 * instances may run it: one of them searches the tables, and all share the deleting.
 * @returns the number of files whose bytes were deleted
 */
export async function sweepFiles(deps: Sweeping): Promise<number> {
  await markRemoved(deps)
  let deleted = 0
  for (;;) {
    const due = 'select id from rowhouse.loose_files where expires_at <= now() order by expires_at limit $1::int'
    const rows = await deps.db.query<{ id: string }>(due, [String(batchSize)])
    const done = await deleteLoose(
      deps,
      rows.map(({ id }) => id),
    )
    deleted += done
    // Fewer than a full batch: another instance is deleting the rest.
    if (done < batchSize) return deleted
  }
}

/** Sweeps at intervals until it is stopped. A failure is logged, and the next run tries again. */
export function startSweeping(deps: Sweeping): { stop: () => void } {
  const once = unlessRunning(async () => {
    if (!deps.isServing()) return
    await sweepFiles(deps).catch((error) => deps.events.emit({ kind: 'background_failed', task: 'sweeping files', error }))
  })
  const timer = setInterval(() => void once(), Math.min(maxIntervalMs, deps.config.filesGraceMs))
  return { stop: () => clearInterval(timer) }
}

/**
 * One transaction on one instance: records when each file was first found in no cell (and clears that time if a cell
 * names it again), and turns files whose grace time is over into loose files. The bytes are deleted afterwards, so that
 * a crash in between leaves no row without bytes.
 */
async function markRemoved({ db, catalog, config }: Sweeping): Promise<void> {
  const [state] = await db.query<{ version: string }>('select version from rowhouse.catalog_version')
  const { list } = await catalog.at(Number(state!.version))
  await db.longTransaction(async ({ query }) => {
    await query(catalogPath)
    const [lock] = await query<{ taken: boolean }>(`select pg_try_advisory_xact_lock(${lockKeys.fileSweep}) as taken`)
    if (!lock?.taken) return
    // A row that a policy hides may also name a file: with this setting the search fails instead of omitting the row.
    await query(`set local row_security = off`, [], { prepare: false })
    // Searching a large table takes longer than a request may.
    await query(`set local statement_timeout = '10min'`, [], { prepare: false })
    for (const table of list.filter(({ isOwn }) => isOwn)) {
      for (const column of table.columns.filter(({ type }) => type === 'attachment')) await query(markStatement(table, column), [column.id])
    }
    await query(markGone)
    await query(loosen, [String(config.filesGraceMs)])
  })
}

/** Parameter: the column's id. Writes nothing if nothing has changed. */
const markStatement = ({ schema, name }: Table, column: Column) => {
  const cell = `t.${identifier(column.name)}`
  return `with named as materialized (select e.file ->> 'id' as id from ${qualifiedName({ schema, name })} t,
      jsonb_array_elements(case jsonb_typeof(${cell}) when 'array' then ${cell} else '[]' end) e (file) where ${cell} <> '[]')
    update rowhouse.files f set removed_at = case when f.removed_at is null then now() end
    where f.column_id = $1::uuid and (f.removed_at is null) <> exists (select from named n where n.id = f.id::text)`
}

/** For a deleted column or table. If psql renamed one, its row still exists, and nothing is lost. */
const markGone = `update rowhouse.files f set removed_at = now()
  where f.removed_at is null and not exists (select from rowhouse.columns c where c.id = f.column_id)`

/** Parameter: the grace time in milliseconds. */
const loosen = `with gone as (delete from rowhouse.files where removed_at <= now() - pg_catalog.make_interval(secs => $1::float8 / 1000) returning id)
  insert into rowhouse.loose_files (id, expires_at) select id, now() from gone`
