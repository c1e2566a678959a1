import { type Actor, isAtLeast, roleLacking } from '../../auth/identity/actor'
import type { Db, Executor, Query } from '../../db/pool/open'
import { conflict, type Failure, forbidden, notFound, validationFailed } from '../../errors'
import { translatable } from '../../messages/message'
import { noSuchTable } from '../catalog/catalog'
import { type Arrangement, maxNamedViews, type NamedView, type NamedViewEntry, type NamedViewPatch, type NewNamedView } from './model'
import { toSettingsText } from './settings'
import { namesUnreadable, type ViewedTable, visibleArrangement } from './visible-arrangement'

/** The caller, and the table of the views. */
export type ViewCaller = ViewedTable & { actor: Actor }

type StoredView = Pick<NamedView, 'id' | 'name' | 'isShared' | 'version' | 'settings'>

/** The caller's own views, and the views for everyone, which have no owner. */
const visible = 'table_id = $1::uuid and (user_id = $2::uuid or user_id is null)'
const fields = 'id::text as id, name, user_id is null as "isShared", version'

/** The caller's own views and those for everyone, together in the order of their names. */
export async function listNamedViews(db: Db, caller: ViewCaller): Promise<NamedViewEntry[]> {
  const views = await storedViews(db.query, caller)
  return views.map((view) => ({ id: view.id, name: view.name, isShared: view.isShared, canChange: refusalOf(caller, view) === null }))
}

/** Omits everything about columns that the caller may not read. @throws Failure not_found */
export async function getNamedView(db: Pick<Executor, 'query'>, caller: ViewCaller, id: string): Promise<NamedView> {
  const view = await storedView(db.query, caller, id)
  return { ...view, canChange: refusalOf(caller, view) === null, settings: visibleArrangement(view.settings, caller) }
}

/** @param id null for all */
async function storedViews(query: Query, { actor, table }: ViewCaller, id: string | null = null): Promise<StoredView[]> {
  const rows = await query<Omit<StoredView, 'settings'> & { settings: string }>(
    `select ${fields}, settings::text as settings from rowhouse.named_views
     where ${visible} and ($3::uuid is null or id = $3::uuid) order by name, id`,
    [table.id, actor.user.id, id],
  )
  return rows.map((row) => ({ ...row, settings: JSON.parse(row.settings) as Arrangement }))
}

async function storedView(query: Query, caller: ViewCaller, id: string): Promise<StoredView> {
  const [view] = await storedViews(query, caller, id)
  if (view) return view
  throw notFound(
    translatable('There is no such view.'),
    translatable('GET /api/v1/tables/{table}/views lists the views.', { table: caller.table.name }),
  )
}

/** @throws Failure forbidden, not_found (table), validation_failed, payload_too_large, conflict (name, number) */
export function createNamedView(db: Db, caller: ViewCaller, { name: text, isShared = false, settings }: NewNamedView): Promise<NamedView> {
  const { actor, table } = caller
  if (isShared && !isAtLeast(actor.user.role, 'editor')) throw roleLacking('editor')
  const name = readViewName(text)
  const json = toSettingsText(settings)
  const owner = isShared ? null : actor.user.id
  return changeViews(db, caller, isShared, async (query) => {
    const others = await query<{ name: string }>(
      'select name from rowhouse.named_views where table_id = $1::uuid and user_id is not distinct from $2::uuid',
      [table.id, owner],
    )
    if (others.some((other) => other.name === name)) throw nameTaken(name)
    if (others.length >= maxNamedViews)
      throw conflict(translatable('The table has {maxNamedViews} views already; delete one that is no longer needed.', { maxNamedViews }))
    const id = Bun.randomUUIDv7()
    // Waits for a deletion of the table, which would not see the view.
    const stored = await query<object>(
      `insert into rowhouse.named_views (id, table_id, user_id, name, settings) select $1::uuid, $2::uuid, $3::uuid, $4::text, $5::json
       where $6::text = 'false' or exists (select from rowhouse.tables where id = $2::uuid for key share) returning 1`,
      [id, table.id, owner, name, json, String(table.isOwn)],
    )
    if (stored.length === 0) throw noSuchTable([], table.name)
    return getNamedView({ query }, caller, id)
  })
}

/** @throws Failure not_found, forbidden, validation_failed, payload_too_large, conflict (name taken, other version) */
export async function updateNamedView(db: Db, caller: ViewCaller, id: string, patch: NamedViewPatch): Promise<NamedView> {
  const name = patch.name === undefined ? null : readViewName(patch.name)
  const json = patch.settings ? toSettingsText(patch.settings) : null
  const { isShared } = await storedView(db.query, caller, id)
  return changeViews(db, caller, isShared, async (query) => {
    const before = await changeableView(query, caller, id)
    if (patch.version !== undefined && patch.version !== before.version) throw versionPassed()
    const taken = await query<object>(
      `select 1 from rowhouse.named_views v join rowhouse.named_views o using (table_id)
       where v.id = $1::uuid and o.id <> v.id and o.user_id is not distinct from v.user_id and o.name = $2::text`,
      [id, name],
    )
    if (taken.length > 0) throw nameTaken(name!)
    await query(
      `update rowhouse.named_views set name = coalesce($2::text, name), settings = coalesce($3::json, settings),
         version = version + ($3::json is not null)::integer where id = $1::uuid`,
      [id, name, json],
    )
    return getNamedView({ query }, caller, id)
  })
}

/** @throws Failure not_found, forbidden */
export async function deleteNamedView(db: Db, caller: ViewCaller, id: string): Promise<void> {
  const { isShared } = await storedView(db.query, caller, id)
  return changeViews(db, caller, isShared, async (query) => {
    await changeableView(query, caller, id)
    await query('delete from rowhouse.named_views where id = $1::uuid', [id])
  })
}

/** Changes of one owner's views of a table run one at a time, so that they count each other's. */
const changeViews = <Result>(
  db: Db,
  { actor, table }: ViewCaller,
  isShared: boolean,
  work: (query: Query) => Promise<Result>,
): Promise<Result> =>
  db.transaction(async ({ query }) => {
    await query('select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))', [
      `rowhouse.named_views ${table.id} ${isShared ? '' : actor.user.id}`,
    ])
    return work(query)
  })

/** @throws Failure not_found, forbidden */
async function changeableView(query: Query, caller: ViewCaller, id: string): Promise<StoredView> {
  const view = await storedView(query, caller, id)
  const refusal = refusalOf(caller, view)
  if (refusal) throw refusal
  return view
}

/** The reason why the caller may not change the view; null if they may. */
function refusalOf(caller: ViewCaller, { isShared, settings }: StoredView): Failure | null {
  if (!isShared) return null
  if (!isAtLeast(caller.actor.user.role, 'editor')) return roleLacking('editor')
  // The caller would drop conditions that they do not see.
  return namesUnreadable(settings, caller)
    ? forbidden(translatable('This view uses columns that you may not read; save a view of your own instead.'))
    : null
}

const versionPassed = () =>
  conflict(translatable('Somebody has changed this view since you opened it.'), {
    hint: translatable('Open the view again and repeat your changes, or save them as another view.'),
  })

const nameTaken = (name: string) => conflict(translatable('There is already a view with the name "{name}".', { name }))

function readViewName(text: string): string {
  const name = text.normalize('NFC').trim()
  // The last ranges are characters that change the direction of the text after them.
  const isRefused = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(name)
  if (name.isWellFormed() && !isRefused && /[^\p{C}\p{Z}]/u.test(name)) return name
  const message = translatable('The name of a view needs at least one visible character, and no control characters.')
  throw validationFailed([{ path: '/name', message }])
}
