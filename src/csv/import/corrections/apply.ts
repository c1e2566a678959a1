import { textAt } from '../../../db/search-path'
import type { Problem } from '../../../errors'
import { translatable } from '../../../messages/message'
import type { Filled } from '../assignment'
import { plainCell } from '../notation-sql'
import { withCell } from '../problems/cell-message'
import { lineOf } from '../problems/checks'
import type { Staged } from '../problems/explanation'
import type { ImportSession } from '../session'
import { sentFile, staging } from '../values'
import { atCorrection, type Correction, correctionsRefused } from './read'

const corrections = 'pg_temp."rowhouse corrections"'

/** A correction with the staged record of its line, and the column that its cell fills. */
type Located = Correction & { id: string; filled: Filled }

/**
 * Replaces the staging table with a view of the corrected cells, which all checks and the import read. The view has the
 * `ctid` and the order of the records, and lines are counted in the file as it was sent.
 * @throws Failure invalid_request for a line or a column that the file does not have, or a cell with another text
 */
export async function correctCells(session: ImportSession, staged: Staged, requested: readonly Correction[]): Promise<void> {
  if (requested.length === 0) return
  const located = await locateCells(session, staged, requested)
  await session.run(
    `create temp table ${corrections.replace('pg_temp.', '')} (id tid, cell integer, value text, primary key (id, cell)) on commit drop`,
  )
  await session.run(
    `insert into ${corrections} select id::tid, cell, nullif(value, '') from pg_catalog.json_to_recordset($1::json) as c (id text, cell integer, value text)`,
    [JSON.stringify(located.map(({ id, filled, value }) => ({ id, cell: filled.cell, value })))],
  )
  const cells = new Map(located.map(({ filled }) => [filled.cell, filled.column]))
  await requireTexts(session, [...cells.keys()], located)
  const columns = staged.columns.map((name) => {
    const [, kind, number] = /^([cv])(\d+)$/.exec(name) ?? []
    const column = number === undefined ? undefined : cells.get(Number(number))
    if (!column) return `s.${name}`
    const text = `(k.texts ${textAt} '${number}')`
    const corrected = kind === 'c' ? text : `(${plainCell(column, text, staged.notation)})::text`
    return `case when pg_catalog.jsonb_exists(k.texts, '${number}') then ${corrected} else s.${name} end as ${name}`
  })
  await session.run(`alter table ${staging} rename to ${sentFile.replace('pg_temp.', '')}`)
  await session.run(`create view ${staging} as select s.ctid, ${columns.join(', ')} from ${sentFile} s
    left join (select id, pg_catalog.jsonb_object_agg(cell, value) as texts from ${corrections} group by id) k on k.id = s.ctid order by s.ctid`)
  staged.isCorrected = true
}

async function locateCells(session: ImportSession, staged: Staged, requested: readonly Correction[]): Promise<Located[]> {
  const { scanner, assignment, cells } = staged
  const lines = requested.map(({ line }) => scanner.sentLine(line))
  const text = lineOf(cells, scanner.hasBreaks(), staging, 'r.line = any($1::bigint[])')
  const rows = await session.run<{ id: string; line: number }>(text, [`{${lines.filter((line) => line !== null).join(',')}}`])
  const ids = new Map(rows.map(({ id, line }) => [line, id]))
  const located: Located[] = []
  const problems: Problem[] = []
  const taken = new Set<string>()
  for (const [index, correction] of requested.entries()) {
    const id = ids.get(lines[index] ?? 0)
    const filled = assignment.filled.find(({ column, cell }) => cell >= 0 && column.name === correction.column)
    const cellKey = `${id} ${filled?.cell}`
    if (id === undefined) problems.push(atCorrection(index, 'line', translatable('is not the line of a record that can be read')))
    else if (!filled) problems.push(atCorrection(index, 'column', translatable('is not a column that the file fills')))
    else if (taken.has(cellKey)) problems.push(atCorrection(index, '', translatable('corrects the same cell as another')))
    else located.push({ ...correction, id, filled })
    taken.add(cellKey)
  }
  if (problems.length) throw correctionsRefused(problems)
  return located
}

/** The file may have changed since the caller saw it. */
async function requireTexts(session: ImportSession, cells: readonly number[], located: readonly Located[]): Promise<void> {
  if (located.every(({ was }) => was === undefined)) return
  const cellText = cells.map((cell) => `when ${cell} then s.c${cell}`).join(' ')
  const rows = await session.run<{ id: string; cell: number; sent: string }>(
    `select k.id::text as id, k.cell, coalesce(case k.cell ${cellText} end, '') as sent from ${corrections} k join ${staging} s on s.ctid = k.id`,
  )
  const sent = new Map(rows.map((row) => [`${row.id} ${row.cell}`, row.sent]))
  const problems = located.flatMap(({ was, id, filled }, index) => {
    const found = sent.get(`${id} ${filled.cell}`) ?? ''
    return was === undefined || was === found
      ? []
      : [atCorrection(index, 'was', withCell(translatable('is not the text of the cell'), found))]
  })
  if (problems.length) throw correctionsRefused(problems)
}
