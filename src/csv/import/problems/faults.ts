import type { ImportSession } from '../session'
import { staging } from '../values'
import type { Check } from './checks'

/**
 * What was found wrong with a staged file: a record, and the cell that an empty one would mend (null where only leaving
 * the record out would). `cell` is never null twice for the same reason: each round of checks sees what the last left.
 */
const faults = 'pg_temp."rowhouse faults"'

/** The staged file as it came, behind the view that leaves out what is wrong. */
const wholeFile = 'pg_temp."rowhouse whole file"'

export type CheckRow = { id: string; cell: string | null; other: string | null; total: string }

/** How much of a file is wrong, or was left out: cells that can be empty, and records. */
export type FaultCounts = { cells: number; lines: number }

export const createFaults = async ({ run }: ImportSession) =>
  void (await run(`create temp table if not exists ${faults.replace('pg_temp.', '')} (id tid, cell integer) on commit drop`))

/** Notes all that a check finds. @returns the first of them, and in each how many there are */
export const noteFaults = ({ run }: ImportSession, { text, cell }: Check, maxRows: number) =>
  run<CheckRow>(`with f as materialized (${text}), noted as (insert into ${faults} select id, ${cell ?? 'null::integer'} from f)
    select f.id::text as id, f.cell, f.other::text as other, count(*) over ()::text as total from f order by f.id limit ${maxRows}`)

export const noteRecord = async ({ run }: ImportSession, id: string) =>
  void (await run(`insert into ${faults} values ($1::tid, null)`, [id]))

export async function countFaults({ run }: ImportSession): Promise<FaultCounts> {
  const [row] = await run<FaultCounts>(
    `select count(distinct (id::text, cell)) filter (where cell is not null)::int as cells, count(distinct id)::int as lines from ${faults}`,
  )
  return row!
}

/** Of the faults that were mended: a record that was left out has no cells that were. */
export async function countMended({ run }: ImportSession): Promise<FaultCounts> {
  const [row] = await run<FaultCounts>(`with f as (select id, array_agg(distinct cell) as cells from ${faults} group by id)
    select coalesce(sum(case when pg_catalog.array_position(cells, null::integer) is null then pg_catalog.cardinality(cells) end), 0)::int as cells,
      count(*) filter (where pg_catalog.array_position(cells, null::integer) is not null)::int as lines from f`)
  return row!
}

/** Where the lines of the file are counted: in the table that holds all of them. */
export const lineSource = (isMended: boolean): string => (isMended ? wholeFile : staging)

/** From now on a record is left out whenever one of its cells is wrong. */
export const leaveOutRecords = async ({ run }: ImportSession) => void (await run(`update ${faults} set cell = null where cell is not null`))

/**
 * Puts a view in the place of the staging table that has nothing of what was found wrong until then or later. It has
 * the records' `ctid` and their order, and goes with the table.
 * @param columns all of the staging table
 */
export async function hideFaults({ run }: ImportSession, columns: readonly string[]): Promise<void> {
  const cells = columns.map((name) => {
    const [, place] = /^[cv](\d+)$/.exec(name) ?? []
    return place === undefined ? `s.${name}` : `case when ${place} = any(f.cells) then null else s.${name} end as ${name}`
  })
  await run(`alter table ${staging} rename to ${wholeFile.replace('pg_temp.', '')}`)
  await run(`create view ${staging} as select s.ctid, ${cells.join(', ')} from ${wholeFile} s
    left join (select id, pg_catalog.array_agg(cell) as cells from ${faults} group by id) f on f.id = s.ctid
    where f.id is null or pg_catalog.array_position(f.cells, null::integer) is null order by s.ctid`)
}
