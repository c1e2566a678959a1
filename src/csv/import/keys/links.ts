import { catalogPath, equal, ownPath } from '../../../db/search-path'
import { Failure } from '../../../errors'
import { type Message, translatable } from '../../../messages/message'
import { bindLater } from '../../../records/query/sql/rules'
import { identifier, literal } from '../../../tables/ddl'
import { creationRefusal } from '../../../tables/definitions/links/missing-records'
import { RefusedName } from '../../../tables/definitions/links/refused-name'
import type { CallerValues, Column, Table } from '../../../tables/model'
import type { NameSource } from '../../../tables/record-name'
import { callerOf } from '../../../tables/row-rules'
import { withoutApostrophe } from '../../formulas'
import { type NamedRecords, namesInColumn } from '../../link-names'
import type { Assignment, Filled, LinkTable } from '../assignment'
import type { LinkForm } from '../options'
import { withCell } from '../problems/cell-message'
import type { ImportSession } from '../session'
import { cellName, isTextColumn, staging, valueName } from '../values'
import { collectMissingNames, type MissingLinks } from './missing-links'

/**
 * Why a cell names no record: no record has it as its key or name (`none`) or as its name (`unnamed`), several have the
 * name, it is also another record's key (`both`), or it is both one name and a list of names (`readings`).
 */
const faults = ['none', 'unnamed', 'several', 'both', 'readings'] as const
type LinkFault = (typeof faults)[number]

type Links = {
  names: NamedRecords
  form: LinkForm | undefined
  /** Whether an export has put apostrophes before names that look like formulas. */
  areEscaped: boolean
  /** The user who creates records for missing names; null if none are created. */
  creator: string | null
  /** The line of the file with a staged record. */
  lineOf: (id: string) => Promise<number>
}

/** A column whose cells refer to records. `target` is the linked table, unless the links lead to users. */
type NamingColumn = { filled: Filled; links: LinkTable; target: Table | undefined; search: string }

/**
 * Finds the keys of the records that link columns name. Each of these columns gets a temporary table with a row for
 * each of its distinct cells: `cell`, `value` (a key, or an array of keys in PostgreSQL's form), `fault`, and `item`,
 * the faulty part of the cell.
 * @returns the assignment with these tables, and the names that no record has
 */
export async function resolveLinks(
  session: ImportSession,
  table: Table,
  assignment: Assignment,
  { names, form, areEscaped, creator, lineOf }: Links,
): Promise<{ assignment: Assignment; missing: MissingLinks }> {
  const caller = callerOf(names.tables.list)
  const columns = form === 'keys' ? [] : namingColumns(table, assignment, { names, form, areEscaped })
  const missing = collectMissingNames(session, { creator, caller })
  // Names in a link to the table itself may belong to other records of the file.
  const others = columns.filter(({ target }) => target && target.id !== table.id)
  await missing.prepare(others.map(({ target }) => target!))
  for (const column of columns) {
    await fillTable(session, column, caller)
    const { filled, links, target, search } = column
    if (!target || !others.includes(column) || !(await hasFaults(session, links))) continue
    const isCreated = await missing.add(target, `${search} ${missingNames(filled)}`).catch(async (error) => {
      throw error instanceof RefusedName ? await toRefusal(session, column, error.refused, { caller, lineOf }) : error
    })
    if (!isCreated) continue
    await fillTable(session, column, caller)
    await missing.requireFound(target, `${search} ${missingNames(filled)}`)
  }
  const resolved = new Map(columns.map(({ filled, links }) => [filled, { ...filled, links }]))
  const replace = (filled: Filled) => resolved.get(filled) ?? filled
  const replaced = { ...assignment, filled: assignment.filled.map(replace), key: assignment.key.map(replace) }
  return { assignment: replaced, missing: await missing.report() }
}

const namingColumns = (
  table: Table,
  assignment: Assignment,
  { names, form, areEscaped }: Pick<Links, 'names' | 'form' | 'areEscaped'>,
): NamingColumn[] =>
  assignment.filled.flatMap((filled) => {
    const source = namesInColumn(filled.column, names)
    if (!source || filled.cell < 0) return []
    const target = names.tables.byId.get(String(filled.column.options.table))
    const own = target?.id === table.id ? ownNames(assignment, source) : null
    const links = { table: `pg_temp."rowhouse links ${filled.cell}"`, target: target?.name ?? 'users' }
    return [{ filled, links, target, search: searchText(filled, { ...source, own, areNamesOnly: form === 'names', areEscaped }) }]
  })

/** Reads a table of another schema, so unqualified names are PostgreSQL's own meanwhile. */
async function fillTable({ run }: ImportSession, { filled, links: { table }, search }: NamingColumn, caller: CallerValues | undefined) {
  const statement = bindLater({ text: `insert into ${table} ${search} ${linkRows(filled)}`, parameters: [] }, caller)
  await run(catalogPath)
  await run(`drop table if exists ${table}`)
  await run(`create temp table ${table.replace('pg_temp.', '')} (cell text, value text, fault text, item text) on commit drop`)
  await run(statement.text, statement.parameters)
  // A hash index accepts cells of any length.
  await run(`create index on ${table} using hash (cell)`)
  await run(`analyze ${table}`)
  await run(ownPath)
}

/** The failure for a name that a rule of the linked table rejects, with the first line that contains it. */
async function toRefusal(
  { run }: ImportSession,
  { filled: { column, cell }, target, search }: NamingColumn,
  refused: string,
  { caller, lineOf }: Pick<Links, 'lineOf'> & { caller: CallerValues | undefined },
): Promise<Failure> {
  const records = `select s.ctid::text as id from parts p join ${staging} s on ${cellName(cell)} = p.cell
    where p.item collate "C" = ${literal(refused)} order by s.ctid limit 1`
  const statement = bindLater({ text: `${search} ${records}`, parameters: [] }, caller)
  await run(catalogPath)
  const [row] = await run<{ id: string }>(statement.text, statement.parameters)
  const message = withCell(translatable('is refused by a rule of "{table}"', { table: target!.name }), refused)
  return new Failure('conflict', creationRefusal(target!), { lines: [{ line: await lineOf(row!.id), column: column.name, message }] })
}

const hasFaults = async ({ run }: ImportSession, { table }: LinkTable): Promise<boolean> =>
  (await run(`select from ${table} l where l.fault is not null limit 1`)).length > 0

export async function hasLinkFaults(session: ImportSession, { filled }: Assignment): Promise<boolean> {
  for (const { links } of filled) if (links && (await hasFaults(session, links))) return true
  return false
}

/** If a file contains the keys and names of its records, a column that links to its own table may use those names. */
function ownNames({ filled }: Assignment, { key, name }: NameSource): { key: Filled; name: Filled } | null {
  const find = (wanted: string) => filled.find(({ column, cell }) => column.name === wanted && cell >= 0)
  const [keyCell, nameCell] = [find(key), find(name)]
  return keyCell && nameCell && isTextColumn(nameCell.column) ? { key: keyCell, name: nameCell } : null
}

type Source = NameSource & { own: { key: Filled; name: Filled } | null; areNamesOnly: boolean; areEscaped: boolean }

const isListColumn = ({ sqlType }: Column) => sqlType.endsWith('[]')

/**
 * The records of the cells of one column, as the beginning of a query. Texts are compared byte by byte, whatever the
 * collations of the columns are.
 */
function searchText(filled: Filled, source: Source): string {
  const { column } = filled
  const { areNamesOnly, areEscaped } = source
  const cell = cellName(filled.cell)
  const keyType = column.sqlType.replace(/\[\]$/, '')
  const isList = isListColumn(column)
  const isKey = areNamesOnly ? 'false' : 'k.key is not null'
  const isOtherKey = areNamesOnly ? 'false' : 'y.key <> m.key'
  return `with cells as materialized (select d.cell, btrim(${areEscaped ? withoutApostrophe('d.cell') : 'd.cell'}) as text
      from (select distinct ${cell} as cell from ${staging} s where ${cell} <> '') d),
    parts as materialized (${isList ? listParts : `select cell, 0 as form, 1::bigint as place, text as item from cells`}),
    names as (${nameRows(source, keyType)}),
    items as materialized (select item, ${keyText('item', keyType)} as key
      from (select distinct item collate "C" as item from parts) i),
    named as (select i.item, min(n.key) as key, count(distinct n.key) as count from items i join names n on n.name = i.item group by i.item),
    keyed as (select distinct i.item, n.key from items i join names n on n.key = i.key),
    found as (select k.item, case when m.count = 1 then m.key when ${isKey} then k.key end as key,
        case when m.count > 1 then 'several' when m.count = 1 and ${isOtherKey} then 'both'
          when m.count is null and not (${isKey}) then '${areNamesOnly ? 'unnamed' : 'none'}' end as fault,
        m.count is not null or y.key is not null as is_found
      from items k left join named m on m.item = k.item left join keyed y on y.item = k.item),
    forms as (select p.cell, p.form, array_agg(f.key order by p.place) as keys, min(f.fault) as fault,
        min(p.item) filter (where f.fault is not null) as item, bool_and(f.is_found) as is_found
      from parts p join found f on f.item = p.item collate "C" group by p.cell, p.form)`
}

/** The rows of the column's table. */
const linkRows = ({ column }: Filled): string => (isListColumn(column) ? listRows : 'select cell, keys[1], fault, item from forms')

/** The names for which records could be created. A null in a JSON array is no name. */
const missingNames = ({ column }: Filled): string =>
  `select distinct f.item as name from found f join parts p on p.item collate "C" = f.item
    where f.fault in ('none', 'unnamed') and f.item <> ''${isListColumn(column) ? ` and f.item <> 'null' and p.form = 1 and ${isNoName}` : ''}`

/** The cell as a whole is not a name. */
const isNoName = 'not exists (select from forms w where w.cell = p.cell and w.form = 0 and w.fault is null and w.is_found)'

/** Form 0 is the whole cell as one name, form 1 the cell as a list. */
const listParts = `select cell, 0 as form, 1::bigint as place, text as item from cells where text like '%,%' and text !~ '^[[{]'
    union all select c.cell, 1, p.place, coalesce(btrim(p.item), 'null') from cells c
      cross join lateral unnest(case
        when c.text like '[%' and rowhouse.can_cast(c.text, 'json')
          then case when json_typeof(c.text::json) = 'array' then array(select json_array_elements_text(c.text::json)) else array[c.text] end
        when c.text like '{%' and rowhouse.can_cast(c.text, 'text[]') then c.text::text[]
        else regexp_split_to_array(c.text, ' *, *') end) with ordinality p (item, place)`

const listRows = `select c.cell, coalesce(case when w.cell is null then l.keys else w.keys end, '{}')::text,
      case when w.cell is null then l.fault when l.fault is null and l.is_found then 'readings' end,
      case when w.cell is null then l.item else c.cell end
    from cells c left join forms w on w.cell = c.cell and w.form = 0 and w.fault is null and w.is_found
      left join forms l on l.cell = c.cell and l.form = 1`

/** The key serves as the name of a record without one, as in exports. */
function nameRows({ rows, key, name, own }: Source, keyType: string): string {
  const row = (nameText: string, keyed: string) =>
    `select btrim(coalesce(nullif(${nameText}, ''), ${keyed})) collate "C" as name, ${keyed} collate "C" as key`
  const stored = `${row(`n.${identifier(name)}::text`, `n.${identifier(key)}::text`)} from ${rows} n`
  if (!own) return stored
  const keyed = `select ${valueName(own.name)} as name, ${keyText(valueName(own.key), keyType)} as key
    from ${staging} s where ${cellName(own.key.cell)} <> '' offset 0`
  // A record whose key cannot be read is rejected, so no other record can refer to it.
  return `${stored} union all ${row('o.name', 'o.key')} from (${keyed}) o where o.key is not null`
}

/** A text as PostgreSQL writes such a key; null if it is not a key. */
const keyText = (text: string, keyType: string): string =>
  `case when rowhouse.can_cast(${text}, ${literal(keyType)}) then (${text})::${keyType}::text end`

/** Finds the cells with faults: one search for each kind of fault, in the form of a `Check`. */
export function linkFaults({ cell, links }: Filled): { text: string; message: Message }[] {
  return faults.map((fault) => ({
    text: `select s.ctid as id, left(l.item, 81) as cell, null::tid as other
      from ${staging} s join ${links?.table} l on l.cell ${equal} ${cellName(cell)} where l.fault ${equal} '${fault}'`,
    message: faultMessage(fault, links?.target ?? ''),
  }))
}

function faultMessage(fault: LinkFault, table: string): Message {
  if (fault === 'none') return translatable('is neither the key nor the name of a record of "{table}"', { table })
  if (fault === 'unnamed') return translatable('is not the name of a record of "{table}"', { table })
  if (fault === 'several') return translatable('is the name of several records of "{table}"; write the key instead', { table })
  if (fault === 'both')
    return translatable('is the key of one record of "{table}" and the name of another; links=keys or links=names decides', { table })
  return translatable('can be one name or several names of records of "{table}"; write a JSON array', { table })
}
