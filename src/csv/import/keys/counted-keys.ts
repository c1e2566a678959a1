import { equal, operator } from '../../../db/search-path'
import { advanceText } from '../../../tables/counter'
import { identifier, qualifiedName } from '../../../tables/ddl'
import type { Column, Table } from '../../../tables/model'
import type { Assignment, Filled } from '../assignment'
import type { ImportSession } from '../session'
import { filledValue, invalidText, isIntegerColumn, sequenceText, staging, valueName } from '../values'

const keyTable = ({ cell }: Filled): string => `pg_temp."rowhouse counted keys ${cell}"`

/** `provisional` numbers do not advance the counter; the `counter` gives the final ones. */
export type NumberSource = 'provisional' | 'counter'

/**
 * If some records of a file contain the number of a counted column and others leave it to the counter, numbers the
 * latter, above the largest number of the file and of the counter. The records keep their numbers while the import is
 * retried. A rollback does not reset a counter, so an import uses it only when everything else in the file can be
 * written.
 * @returns the assignment with these numbers; null if the file needs none
 */
export async function numberEmptyKeys(
  session: ImportSession,
  table: Table,
  assignment: Assignment,
  source: NumberSource,
): Promise<Assignment | null> {
  const numbered = new Map<Column, Filled>()
  for (const counted of assignment.filled.filter(isCountedByTable)) {
    const counting = await numberEmptyCells(session, table, counted, source)
    if (counting) numbered.set(counted.column, counting)
  }
  if (numbered.size === 0) return null
  const replace = (filled: Filled) => numbered.get(filled.column) ?? filled
  return { ...assignment, filled: assignment.filled.map(replace), key: assignment.key.map(replace) }
}

async function numberEmptyCells(session: ImportSession, table: Table, counted: Filled, source: NumberSource): Promise<Filled | null> {
  const given = givenText(table, counted)
  const counter = sequenceText(table, counted.column)
  const isEmpty = `coalesce(${valueName(counted)}, '') ${equal} ''`
  const [found] = await session.run<{ most: string | null; last: string; empties: number; fits: boolean }>(
    `select f.most::text, coalesce(pg_catalog.pg_sequence_last_value(f.counter), 0)::text as last, f.empties,
        f.most::numeric ${operator('+')} f.empties::numeric ${operator('<=')} q.seqmax::numeric as fits
      from (select ${counter} as counter, pg_catalog.max(${given})::bigint as most,
          (pg_catalog.count(*) filter (where ${isEmpty}))::int as empties from ${staging} s) f
        join pg_sequence q on q.seqrelid ${equal} f.counter`,
  )
  if (!found || found.most === null || found.empties === 0 || !found.fits) return null
  if (source === 'counter') {
    const rows = `select ${counter} as counter, ${found.most}::bigint as most`
    await session.run(advanceText(rows))
  }
  const largest = BigInt(found.most) > BigInt(found.last) ? found.most : found.last
  const number =
    source === 'counter'
      ? `pg_catalog.nextval(${counter})`
      : `${largest}::bigint ${operator('+')} pg_catalog.row_number() over (order by e.id)`
  const numbers = keyTable(counted)
  await session.run(`drop table if exists ${numbers}`)
  await session.run(`create temp table ${numbers.replace('pg_temp.', '')} (id tid primary key, number bigint) on commit drop`)
  await session.run(`insert into ${numbers} select e.id, ${number}
    from (select s.ctid as id from ${staging} s where ${isEmpty} order by s.ctid) e`)
  return { ...counted, counted: `(select n.number from ${numbers} n where n.id = s.ctid)` }
}

/** Whether other records have taken some of the provisional numbers since. */
export async function areNumbersTaken(session: ImportSession, table: Table, { filled }: Assignment): Promise<boolean> {
  for (const numbered of filled.filter(({ counted }) => counted !== undefined)) {
    const isTaken = `t.${identifier(numbered.column.name)}::bigint ${equal} n.number`
    const rows = await session.run(`select from ${keyTable(numbered)} n join ${qualifiedName(table)} t on ${isTaken} limit 1`)
    if (rows.length > 0) return true
  }
  return false
}

const isCountedByTable = ({ column, cell }: Filled): boolean =>
  cell >= 0 && isIntegerColumn(column) && (/^identity/.test(column.filledBy) || /^nextval\(/.test(column.defaultExpression ?? ''))

/** The number of a record in the file; null for an empty or unreadable cell. */
function givenText(table: Table, filled: Filled): string {
  const value = filledValue(filled, table.isOwn)
  const invalid = invalidText(filled.column, valueName(filled), table.isOwn)
  return invalid === null ? value : `case when (${invalid}) is not true then ${value} end`
}
