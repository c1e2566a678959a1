import type { Query } from '../../../db/pool/open'
import { equal, operator, touchingRows } from '../../../db/search-path'
import { type Message, translatable } from '../../../messages/message'
import type { Tables } from '../../catalog/catalog'
import { computedText } from '../../computed-value'
import type { ColumnDescription } from '../../ddl'
import { displayColumnOf } from '../../display-column'
import type { Column, Table } from '../../model'
import { identifier, literal, qualifiedName } from '../../sql-text'
import type { ConversionReport } from '../conversion-model'
import { checkConstraints, createStatements, creationObstacle, creationRefusal, notCreated } from './missing-records'
import { createNamedRecords, RefusedName, upToName } from './refused-name'

/** Where names are looked up: the linked table, its key, and the column that names its records. */
export type NameLookup = {
  target: Table
  key: Column
  /** Undefined if records have no name other than their key. */
  display: Column | undefined
  /** Whether a text may hold several names with commas between them. */
  isList: boolean
  isCreating: boolean
}

/** A dry run creates no records, so names that a real run would create count as found. */
export type LookupRun = { isDryRun: boolean; userId: string | null }

/** @param own the table of the column; once the column is a link, it can no longer name the table's records */
export function nameLookup(own: Table, before: Column, after: ColumnDescription, tables: Tables, isCreating: boolean): NameLookup | null {
  const target = after.target && tables.byId.get(after.target.id)
  const key = target?.columns.find(({ name }) => name === after.target!.key)
  if (!target || !key) return null
  const columns = target.id === own.id ? target.columns.filter(({ id }) => id !== before.id) : target.columns
  const display = displayColumnOf({ ...target, columns })
  return { target, key, display: display === key ? undefined : display, isList: after.type === 'manyLinks', isCreating }
}

/** Has a row for each name: its `key` as text, if it is known, and the number of `records` that have the name. */
const names = 'pg_temp.rowhouse_names'

/** A longer text does not fit into an index, and names no record. */
const maxIndexedBytes = 2000

const canBeName = (text: string) => `btrim(${text}) <> '' and octet_length(btrim(${text})) <= ${maxIndexedBytes}`

const trimmed = (text: string) => `(pg_catalog.btrim(${text}) collate "C")`

/** SQL: whether a text can be the key of a linked record; if it can, no record is created with it as its name. */
const canBeKey = ({ key }: NameLookup, text: string) => `rowhouse.can_cast(${text}, ${literal(key.sqlType)})`

/**
 * Looks up all texts of a column at once, as a paste does: a text is the name of exactly one record, else a key, else,
 * for a list, several of these with commas between them. Creates the missing records on request. The
 * transaction has to use PostgreSQL's own search path.
 * @param texts a query for them, as `words`
 * @throws Failure conflict if records have to be created, and cannot be
 */
export async function lookUpNames(query: Query, lookup: NameLookup, texts: string, run: LookupRun): Promise<void> {
  const send = (text: string) => query(text, [], { prepare: false })
  const isCreating = lookup.isCreating && !run.isDryRun
  // The lock keeps other sessions from creating the missing records first. The foreign key takes the same lock.
  if (isCreating && lookup.target.rights.update) await send(`lock table ${qualifiedName(lookup.target)} in share row exclusive mode`)
  const table = names.replace('pg_temp.', '')
  await send(
    `create temporary table ${table} (name text collate "C" primary key, key text, records bigint not null default 0) on commit drop`,
  )
  await send(`insert into ${names} (name) select distinct ${trimmed('words')} from (${texts}) w where ${canBeName('words')}`)
  for (const statement of findStatements(lookup)) await send(statement)
  if (lookup.isList) {
    const isWhole = `exists (select from ${names} n where n.name ${equal} ${trimmed('words')} and (n.key is not null or n.records > 0))`
    await send(`insert into ${names} (name) select distinct ${trimmed('part')} from (${texts}) w, string_to_table(words, ',') part
      where ${canBeName('part')} and not ${isWhole} on conflict do nothing`)
    await send(`delete from ${names} where records = 0 and key is null and strpos(name, ',') > 0`)
    for (const statement of findStatements(lookup)) await send(statement)
  }
  if (!isCreating) return
  const obstacle = creationObstacle(lookup)
  const [missing] = obstacle ? await query(`select from ${names} where ${isCreatable(lookup)} limit 1`, [], { prepare: false }) : []
  if (obstacle && !missing) return
  if (obstacle) throw notCreated(obstacle, translatable('cannot be done'))
  const create = async (last: string | null) => {
    const isCreated = `${isCreatable(lookup)} and ${upToName('name', last)}`
    const statements = createStatements(lookup, names, isCreated, run.userId)
    for (const text of [...statements, ...touchingRows(checkConstraints)]) await send(text)
  }
  await createNamedRecords(query, { names: `select name from ${names} where ${isCreatable(lookup)}`, create }).catch((error) => {
    if (!(error instanceof RefusedName)) throw error
    const reason = translatable('a rule of the linked table refuses "{name}"', { name: shortName(error.refused) })
    throw notCreated(creationRefusal(lookup.target), reason)
  })
}

const shortName = (name: string) => (name.length > 80 ? `${name.slice(0, 80)}…` : name)

/** A unique name takes precedence over a key. */
function findStatements({ target, key, display }: NameLookup): string[] {
  const keyText = `t.${identifier(key.name)}::text`
  const name =
    display && `((${display.computed ? computedText(display.computed, 't') : `t.${identifier(display.name)}`})::text collate "C")`
  const byName = `update ${names} n set records = f.records, key = case when f.records = 1 then f.key end
    from (select ${name} as name, count(*) as records, min(${keyText}) as key from ${qualifiedName(target)} t
      where ${name} in (select name from ${names} where key is null) group by 1) f where f.name = n.name`
  const asKey = `case when rowhouse.can_cast(w.name, ${literal(key.sqlType)}) then w.name::${key.sqlType} end`
  const same = key.operatorSchema === undefined ? equal : operator('=', key.operatorSchema)
  const byKey = `update ${names} n set key = f.key from (select w.name, ${keyText} as key from ${names} w
      join ${qualifiedName(target)} t on t.${identifier(key.name)} ${same} (${asKey}) where w.key is null offset 0) f where f.name ${equal} n.name`
  return [...(name ? [byName] : []), byKey]
}

const isCreatable = (lookup: NameLookup) => `key is null and records ${equal} 0 and not ${canBeKey(lookup, 'name')}`

/** SQL: the key of the record that a text names, as text; null if no record or several have the name. */
export const keyOfName = (text: string): string => `(select n.key from ${names} n where n.name ${equal} ${trimmed(text)})`

/** SQL for `from`: the names in a text, as `part`. */
export const namesIn = ({ isList }: NameLookup, text: string): string => {
  const whole = `array[btrim(${text})]`
  const isWhole = `exists (select from ${names} n where n.name ${equal} ${trimmed(text)})`
  return `unnest(${isList ? `case when ${isWhole} then ${whole} else string_to_array(${text}, ',') end` : whole}) part`
}

/** The problems of a name, by the numbers that `nameProblem` returns. */
export const nameProblems: Record<number, Message> = {
  0: translatable('is neither the name nor the key of a record there'),
  [-1]: translatable('is the name of several records there'),
}

/** SQL: the number of a name's problem; null if it has none. */
export function nameProblem(lookup: NameLookup, { isDryRun }: LookupRun, text: string): string {
  const there = (condition: string) => `exists (select from ${names} n where n.name ${equal} ${trimmed(text)} and (${condition}))`
  const isMade = lookup.isCreating && isDryRun && !creationObstacle(lookup) ? ` or (${isCreatable(lookup)})` : ''
  return `case when ${there(`key is not null${isMade}`)} then null::int when ${there('records > 1')} then -1 else 0 end`
}

const shownNames = 20

/** The outcome for the names. The messages are not translated yet. */
export type NameFindings = Omit<NonNullable<ConversionReport['names']>, 'obstacle'> & { obstacle?: Message }

export async function reportNames(query: Query, lookup: NameLookup): Promise<NameFindings> {
  const [isUnknown, isAmbiguous] = ['key is null and records = 0', 'key is null and records > 1']
  const first = (condition: string) => `array(select name from ${names} where ${condition} order by name limit ${shownNames})`
  const obstacle = creationObstacle(lookup)
  const [row] = await query<{ report: string }>(
    `select json_build_object('found', count(*) filter (where key is not null), 'unknown', count(*) filter (where ${isUnknown}),
       'ambiguous', count(*) filter (where ${isAmbiguous}),
       'creatable', ${obstacle ? '0' : `count(*) filter (where ${isCreatable(lookup)})`},
       'unknownNames', ${first(isUnknown)}, 'ambiguousNames', ${first(isAmbiguous)})::text as report from ${names}`,
    [],
    { prepare: false },
  )
  const report = JSON.parse(row!.report) as NameFindings
  return obstacle && report.unknown > 0 ? { ...report, obstacle } : report
}
