import { type Actor, isAtLeast, roleLacking } from '../../auth/identity/actor'
import type { Db, Executor, Query } from '../../db/pool/open'
import { conflict, forbidden, notFound, validationFailed } from '../../errors'
import { translatable } from '../../messages/message'
import type { Table } from '../model'
import { type Arrangement, maxNamedViews, type NamedView, type NamedViewEntry, type NamedViewPatch, type NewNamedView } from './model'
import { toSettingsText } from './settings'
import { namesUnreadable, visibleArrangement } from './visible-arrangement'

/** Who asks, and for the views of which table, as it is for them. */
export type ViewCaller = { actor: Actor; table: Table }

/** The caller's own and those for everyone, which have no owner. */
const visible = 'table_id = $1::uuid and (user_id = $2::uuid or user_id is null)'
const fields = 'id::text as id, name, user_id is null as "isShared"'

/** By name, the caller's own among those for everyone. */
export const listNamedViews = (db: Db, { actor, table }: ViewCaller): Promise<NamedViewEntry[]> =>
  db.query<NamedViewEntry>(`select ${fields} from rowhouse.named_views where ${visible} order by name, id`, [table.id, actor.user.id])

/** Without what it says about columns that the caller may not read. @throws Failure not_found */
export async function getNamedView(db: Pick<Executor, 'query'>, caller: ViewCaller, id: string): Promise<NamedView> {
  const view = await storedView(db.query, caller, id)
  return { ...view, settings: visibleArrangement(view.settings, caller.table) }
}

async function storedView(query: Query, { actor, table }: ViewCaller, id: string): Promise<NamedView> {
  const [row] = await query<NamedViewEntry & { settings: string }>(
    `select ${fields}, settings::text as settings from rowhouse.named_views where ${visible} and id = $3::uuid`,
    [table.id, actor.user.id, id],
  )
  if (!row)
    throw notFound(
      translatable('There is no such view.'),
      translatable('GET /api/v1/tables/{table}/views lists the views.', { table: table.name }),
    )
  return { ...row, settings: JSON.parse(row.settings) as Arrangement }
}

/** @throws Failure forbidden, validation_failed, payload_too_large, conflict (the name is taken, too many) */
export function createNamedView(db: Db, caller: ViewCaller, { name: text, isShared = false, settings }: NewNamedView): Promise<NamedView> {
  const { actor, table } = caller
  requireChangeable(actor, isShared)
  const name = readViewName(text)
  const json = toSettingsText(settings)
  const owner = isShared ? null : actor.user.id
  return changeViews(db, async (query) => {
    const others = await query<{ name: string }>(
      'select name from rowhouse.named_views where table_id = $1::uuid and user_id is not distinct from $2::uuid',
      [table.id, owner],
    )
    if (others.some((other) => other.name === name)) throw nameTaken(name)
    if (others.length >= maxNamedViews)
      throw conflict(translatable('The table has {maxNamedViews} views already; delete one that is no longer needed.', { maxNamedViews }))
    const id = Bun.randomUUIDv7()
    await query(
      'insert into rowhouse.named_views (id, table_id, user_id, name, settings) values ($1::uuid, $2::uuid, $3::uuid, $4::text, $5::json)',
      [id, table.id, owner, name, json],
    )
    return getNamedView({ query }, caller, id)
  })
}

/** @throws Failure not_found, forbidden, validation_failed, payload_too_large, conflict (the name is taken) */
export function updateNamedView(db: Db, caller: ViewCaller, id: string, { name: text, settings }: NamedViewPatch): Promise<NamedView> {
  const name = text === undefined ? null : readViewName(text)
  const json = settings ? toSettingsText(settings) : null
  return changeViews(db, async (query) => {
    const before = await storedView(query, caller, id)
    requireChangeable(caller.actor, before.isShared)
    // The caller would drop conditions that they do not see.
    if (json !== null && before.isShared && namesUnreadable(before.settings, caller.table))
      throw forbidden(translatable('This view uses columns that you may not read; save a view of your own instead.'))
    const taken = await query<object>(
      `select 1 from rowhouse.named_views v join rowhouse.named_views o using (table_id)
       where v.id = $1::uuid and o.id <> v.id and o.user_id is not distinct from v.user_id and o.name = $2::text`,
      [id, name],
    )
    if (taken.length > 0) throw nameTaken(name!)
    await query(
      `update rowhouse.named_views set name = coalesce($2::text, name), settings = coalesce($3::json, settings) where id = $1::uuid`,
      [id, name, json],
    )
    return getNamedView({ query }, caller, id)
  })
}

/** @throws Failure not_found, forbidden */
export function deleteNamedView(db: Db, caller: ViewCaller, id: string): Promise<void> {
  return changeViews(db, async (query) => {
    const { isShared } = await storedView(query, caller, id)
    requireChangeable(caller.actor, isShared)
    await query('delete from rowhouse.named_views where id = $1::uuid', [id])
  })
}

/** Changes run one after the other, so that they count each other's views. */
const changeViews = <Result>(db: Db, work: (query: Query) => Promise<Result>): Promise<Result> =>
  db.transaction(async ({ query }) => {
    await query('lock table rowhouse.named_views in share row exclusive mode')
    return work(query)
  })

/** @throws Failure forbidden for a view for everyone */
function requireChangeable({ user }: Actor, isShared: boolean): void {
  if (isShared && !isAtLeast(user.role, 'editor')) throw roleLacking('editor')
}

const nameTaken = (name: string) => conflict(translatable('There is already a view with the name "{name}".', { name }))

function readViewName(text: string): string {
  const name = text.trim()
  if (name !== '' && name.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return name
  const message = translatable('The name of a view needs at least one visible character, and no control characters.')
  throw validationFailed([{ path: '/name', message }])
}
