import { bindLater } from '../../../records/query/sql/rules'
import type { ImportSession } from '../session'
import { sentFile, staging } from '../values'
import type { Check } from './checks'

/**
 * The faults of a staged file: a record, and the cell that would mend it if it were empty. `cell` is null when only
 * skipping the record would help. A record is skipped at most once for the same fault, because each round of checks
 * sees the file as the previous round left it.
 */
const faults = 'pg_temp."rowhouse faults"'

/** The staged file as it arrived, without the view that hides the faults. */
const wholeFile = 'pg_temp."rowhouse whole file"'

export type CheckRow = { id: string; cell: string | null; other: string | null; total: string }

/** The size of the faults, or of the parts that were skipped: cells that can be empty, and records. */
export type FaultCounts = { cells: number; lines: number }

export const createFaults = async ({ run }: ImportSession) =>
  void (await run(`create temp table if not exists ${faults.replace('pg_temp.', '')} (id tid, cell integer) on commit drop`))

/** Stores all faults that a check finds. @returns the first of them, each with their total */
export function noteFaults({ run }: ImportSession, { text, cell, caller }: Check, maxRows: number) {
  const whole = `with f as materialized (${text}), noted as (insert into ${faults} select id, ${cell ?? 'null::integer'} from f)
    select f.id::text as id, f.cell, f.other::text as other, count(*) over ()::text as total from f order by f.id limit ${maxRows}`
  const statement = bindLater({ text: whole, parameters: [] }, caller)
  return run<CheckRow>(statement.text, statement.parameters)
}

export const noteRecord = async ({ run }: ImportSession, id: string) =>
  void (await run(`insert into ${faults} values ($1::tid, null)`, [id]))

export async function countFaults({ run }: ImportSession): Promise<FaultCounts> {
  const [row] = await run<FaultCounts>(
    `select count(distinct (id::text, cell)) filter (where cell is not null)::int as cells, count(distinct id)::int as lines from ${faults}`,
  )
  return row!
}

/** Counts the corrected faults. A skipped record counts as a line, and its cells do not count. */
export async function countMended({ run }: ImportSession): Promise<FaultCounts> {
  const [row] = await run<FaultCounts>(`with f as (select id, array_agg(distinct cell) as cells from ${faults} group by id)
    select coalesce(sum(case when pg_catalog.array_position(cells, null::integer) is null then pg_catalog.cardinality(cells) end), 0)::int as cells,
      count(*) filter (where pg_catalog.array_position(cells, null::integer) is not null)::int as lines from f`)
  return row!
}

/** The table in which lines of the file are counted, which has all records as they were sent. */
export const lineSource = ({ isMended, isCorrected }: { isMended: boolean; isCorrected: boolean }): string =>
  isCorrected ? sentFile : isMended ? wholeFile : staging

/** From now on a record with any fault is skipped as a whole. */
export const leaveOutRecords = async ({ run }: ImportSession) => void (await run(`update ${faults} set cell = null where cell is not null`))

/**
 * Replaces the staging table with a view that hides all faults, including those found later. The view has the `ctid`
 * and the order of the records, and is dropped with the table.
 * @param columns all columns of the staging table
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
