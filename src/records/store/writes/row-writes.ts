import { sqlState, toRuleFailure } from '../../../db/errors'
import type { Query } from '../../../db/pool/open'
import { textAt } from '../../../db/search-path'
import { conflict, Failure, forbidden, validationFailed } from '../../../errors'
import { translatable } from '../../../messages/message'
import { maxShownLinks } from '../../../tables/column-types/links'
import { advanceText } from '../../../tables/counter'
import type { Column, Table } from '../../../tables/model'
import { mostRecords } from '../../model'
import { deniedByKeys } from '../../query/sql/keys'
import { crowdedSetStatement, type LinkSet, linkStatement, missingTargetStatement, unlinkStatement } from '../../query/sql/links'
import type { WrittenAs } from '../../query/sql/rules'
import {
  deleteStatement,
  type Insert,
  insertStatement,
  type Returning,
  type Target,
  type Update,
  updateStatement,
} from '../../query/sql/write'
import { execute } from '../execute'
import { pointerTo } from '../pointer'
import { accessDenied } from '../rights'
import { withDigits } from './digits'
import { isReadAgain, keysOnly, readWritten } from './read-again'
import type { WrittenRow } from './written-row'

/** `count` rows were written; with `most`, `rows` may contain fewer. */
export type Written = { rows: WrittenRow[]; count: number }

type LinkedBody = Record<string, unknown>

/** A write of rows together with the values of their `manyLinks` columns, which are stored in other tables. */
type WithLinks<Write> = Omit<Write, 'names'> & {
  /** Columns that the bodies name, `manyLinks` among them. */
  names: readonly string[]
  /** The bodies as a JSON array, as they were sent. */
  json: string
}

/** Keeps all digits of large keys. */
const bodiesOf = (json: string): LinkedBody[] => withDigits(json) as LinkedBody[]

export const linkColumns = (table: Table, names: readonly string[]): Column[] =>
  table.columns.filter((column) => column.joinTable && names.includes(column.name))

/**
 * PostgreSQL would let the role of the service write the other side of a link for any caller.
 * @throws Failure forbidden
 */
function writableLinks(table: Table, names: readonly string[]): Column[] {
  const links = linkColumns(table, names)
  const locked = links.find(({ isWritable }) => !isWritable)
  if (locked) throw forbidden(translatable('"{name}" holds records of a table that may not be changed.', { name: locked.name }))
  return links
}

/** Whether the write takes more than one statement, and so a transaction. */
export const isWrittenInSteps = (table: Table, names: readonly string[], isInsert: boolean): boolean =>
  linkColumns(table, names).length > 0 || (isInsert && identityOf(table, names) !== undefined)

const identityOf = (table: Table, names: readonly string[]) =>
  table.isOwn ? table.columns.find(({ filledBy, name }) => filledBy === 'identity' && names.includes(name)) : undefined

export async function insertRows(query: Query, { json, ...insert }: WithLinks<Insert>): Promise<Written> {
  const { table, conflict: onConflict } = insert
  const links = writableLinks(table, insert.names)
  const as = onConflict?.resolution === 'merge' ? 'either' : 'create'
  const hasNewness = insert.returning.hasNewness || (as === 'either' && table.hasRowVersion)
  const isLater = links.length > 0 || isReadAgain(table, insert.returning)
  const bodies = links.length ? bodiesOf(json) : []
  const ruleNames = insert.ruleNames ?? insert.names
  if (links.length && onConflict?.resolution === 'ignore' && bodies.length > 1) {
    throw new Failure(
      'invalid_request',
      translatable('Links ("{name}") cannot be sent when duplicates are ignored.', { name: links[0]!.name }),
    )
  }
  const statement = insertStatement(
    {
      ...insert,
      names: storedColumnNames(insert.names, links),
      ruleNames,
      areLinksLater: links.length > 0 && !onConflict,
      returning: isLater ? keysOnly({ ...insert.returning, hasNewness }) : insert.returning,
    },
    json,
  )
  const rows = await execute<WrittenRow>(query, table, statement)
  await advanceIdentity(query, table, insert.names, json)
  const count = rows.count ?? rows.length
  if (links.length === 0) return { rows: isLater ? await readWritten(query, table, insert.returning, rows) : rows, count }
  // If a rule or a trigger skipped some of several records, it is unknown to which records the links belong.
  if (bodies.length > 1 && rows.length < bodies.length)
    throw as === 'either' && table.access ? accessDenied(table, 'update') : toRuleFailure()
  const none = onConflict?.isReplaced ? Object.fromEntries(links.map(({ name }) => [name, []])) : {}
  await writeAllLinks(query, links, { ...insert, names: ruleNames, as }, rows, (index) => ({ ...none, ...bodies[index]! }))
  return { rows: await readWritten(query, table, insert.returning, rows), count }
}

export async function updateRows(query: Query, { json, ...update }: WithLinks<Update>): Promise<Written> {
  const { table } = update
  const links = writableLinks(table, update.names)
  const isLater = links.length > 0 || isReadAgain(table, update.returning)
  // The links of each row are written by its key, so all keys are needed.
  const most = links.length > 0 ? mostRecords : update.returning.most
  const statement = updateStatement(
    {
      ...update,
      names: storedColumnNames(update.names, links),
      ruleNames: update.names,
      returning: { ...(isLater ? keysOnly(update.returning) : update.returning), most },
    },
    json,
  )
  const rows = await execute<WrittenRow>(query, table, statement)
  const count = countOf(rows)
  if (links.length && count > mostRecords) throw tooManyAffected(count, mostRecords)
  const [body] = links.length ? bodiesOf(json) : []
  if (links.length) await writeAllLinks(query, links, { ...update, as: 'update' }, rows, () => body!)
  const answered = rows.slice(0, update.returning.most)
  return { rows: isLater ? await readWritten(query, table, update.returning, answered) : answered, count }
}

export const tooManyAffected = (count: number, most: number): Failure =>
  new Failure(
    'max_affected_exceeded',
    translatable('This would affect {count} records, and at most {most} are allowed. Nothing was done.', { count, most }),
    {
      details: { affected: count, maxAffected: most },
    },
  )

export async function deleteRows(
  query: Query,
  remove: Target & { table: Table; returning: Returning; isInSchema?: boolean },
): Promise<Written> {
  const rows = await execute<WrittenRow>(query, remove.table, deleteStatement({ ...remove, userId: null }))
  return { rows, count: countOf(rows) }
}

const countOf = (rows: WrittenRow[] & { count?: number | null }): number => rows[0]?.count ?? rows.count ?? rows.length

const storedColumnNames = (names: readonly string[], links: Column[]) =>
  names.filter((name) => !links.some((column) => column.name === name))

async function writeAllLinks(
  query: Query,
  links: Column[],
  { table, names, userId, as }: { table: Table; names: readonly string[]; userId: string | null; as: WrittenAs },
  rows: readonly WrittenRow[],
  bodyOf: (index: number) => LinkedBody,
): Promise<void> {
  for (const column of links) await writeLinks(query, { table, column, userId }, rows, bodyOf)
  // A rule may follow the links, which did not exist when the rows were written. Writing the links has locked the rows,
  // so only the result of the first write shows which rows are new; if it does not, a row must meet both rules.
  for (const action of ['create', 'update'] as const) {
    const judged = rows.filter(({ isNew }) => (as === 'either' ? isNew !== (action === 'update') : as === action))
    const denied = judged.length ? deniedByKeys(table, keysOf(judged), names, action) : null
    if (denied && (await execute(query, table, denied)).length > 0) throw accessDenied(table, action)
  }
}

const keysOf = (rows: readonly WrittenRow[]): string[] => rows.map(({ key }) => key!)

async function writeLinks(
  query: Query,
  { table, column, userId }: { table: Table; column: Column; userId: string | null },
  rows: readonly WrittenRow[],
  bodyOf: (index: number) => LinkedBody,
): Promise<void> {
  const sets = rows.flatMap(({ key }, index): LinkSet[] => {
    const targets = Object.hasOwn(bodyOf(index), column.name) ? bodyOf(index)[column.name] : undefined
    return targets === undefined ? [] : [{ own: JSON.parse(key!), targets: readTargets(column, targets) }]
  })
  if (sets.length === 0) return
  requireOneOwner(column, sets)
  try {
    if (column.joinTable?.isTarget || column.joinTable?.linkable) await requireTargets(query, table, column, sets)
    if (column.type === 'reverseLinks') await requireShown(query, table, column, sets)
    await execute(query, table, unlinkStatement(table, column, sets, userId))
    await execute(query, table, linkStatement(table, column, sets, userId))
  } catch (error) {
    throw linkFailure(column, error)
  }
}

/** Checked here, since bodies in PostgREST's dialect are not checked before. */
function readTargets(column: Column, value: unknown): LinkSet['targets'] {
  const targets = value ?? []
  if (Array.isArray(targets) && targets.every((key) => typeof key === 'string' || typeof key === 'number')) return targets
  throw noArrayOfKeys(column)
}

const noArrayOfKeys = ({ name }: Column) =>
  validationFailed([{ path: pointerTo('', name), message: translatable('must be an array of keys') }])

/** The link back of a record holds one key. */
function requireOneOwner({ name, joinTable }: Column, sets: LinkSet[]): void {
  const targets = joinTable?.isTarget ? sets.flatMap((set) => set.targets.map(String)) : []
  if (new Set(targets).size === targets.length) return
  throw validationFailed([
    { path: pointerTo('', name), message: translatable('names a record twice, which can link to one of these records only') },
  ])
}

async function requireTargets(query: Query, table: Table, column: Column, sets: LinkSet[]): Promise<void> {
  const [found] = await execute<{ missing: true }>(query, table, missingTargetStatement(table, column, sets))
  if (found) throw brokenLink(column)
}

/** A caller who read a record with more links than are shown does not know the others, and would remove them. */
async function requireShown(query: Query, table: Table, column: Column, sets: LinkSet[]): Promise<void> {
  const [found] = await execute<{ crowded: true }>(query, table, crowdedSetStatement(table, column, sets))
  if (!found) return
  const message = translatable(
    'has more than {maxShownLinks} links, of which only the first are shown; change the link of each record on the other side',
    { maxShownLinks },
  )
  throw conflict(translatable('"{name}" {message}.', { name: column.name, message }), {
    errors: [{ path: pointerTo('', column.name), message }],
  })
}

const brokenLink = ({ name }: Column) =>
  conflict(translatable('"{name}" links to a record that does not exist.', { name }), {
    errors: [{ path: pointerTo('', name), message: translatable('breaks a link') }],
  })

function linkFailure(column: Column, error: unknown): unknown {
  const { name, joinTable } = column
  const state = sqlState(error) ?? ''
  const path = pointerTo('', name)
  if (state === '23503') return brokenLink(column)
  if (state === '23502' && joinTable?.isTarget) {
    const message = translatable('cannot unlink a record whose link back is required; link that record to another one instead')
    return conflict(translatable('"{name}" {message}.', { name, message }), { errors: [{ path, message }] })
  }
  return state.startsWith('22') ? noArrayOfKeys(column) : error
}

// Advances the counter past a key that a caller chose: a key that is counted later would collide with it.
export async function advanceIdentity(query: Query, table: Table, names: readonly string[], json: string): Promise<void> {
  const identity = identityOf(table, names)
  if (!identity) return
  const rows = `select pg_catalog.pg_get_serial_sequence(pg_catalog.format('%I.%I', $2::text, $3::text), $4::text)::regclass as counter,
    (select pg_catalog.max((e ${textAt} $4::text)::numeric::bigint) from pg_catalog.jsonb_array_elements($1::jsonb) e) as most`
  await query(advanceText(rows), [json, table.schema, table.name, identity.name])
}
