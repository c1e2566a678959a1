import type { FileNotation } from '../notation-sql'
import type { ImportSession } from '../session'
import { cellName, staging } from '../values'
import { createKeyGuess, createTypeGuess, type Guess, heldType, plainText, shownUnit } from './guess'
import { createMisfitCount, isFallback, type NearType, withWider } from './near-type'
import type { ColumnPlan, FormOf, TablePlan } from './plan'

/** The number of records in a batch. */
const batchRows = 1000

/** A column whose type was guessed, and may still change. */
const isOpen = ({ role, column, isAsked }: ColumnPlan): boolean =>
  role === 'key' || (role === 'column' && !isAsked && column.type !== 'text' && column.type !== 'longText')

/** `linesOf` has the lines of staged records by their ids. */
export type GuessedFile = { notation: FileNotation; formOf: FormOf; linesOf: (ids: string[]) => Promise<Map<string, number>> }

/**
 * Checks the guessed types against every record in the staging table, by the rules that guessed them from the first
 * records. PostgreSQL would accept more as a number or a time than the rules do, and write it in another form: `007`,
 * `1e5`, `0x1F`, `1_000`, `24:00`.
 * @returns whether each cell of the key can be one
 */
export async function checkGuesses(session: ImportSession, plan: TablePlan, { notation, formOf, linesOf }: GuessedFile): Promise<boolean> {
  const columns = plan.columns.flatMap((planned, cell) =>
    isOpen(planned) || planned.near ? [openColumn(planned, cell, notation, formOf)] : [],
  )
  if (columns.length === 0) return true
  const key = createKeyGuess(plan.key.type)
  const cells = columns.map(({ cell }) => `coalesce(${cellName(cell)}, '') as c${cell}`).join(', ')
  for await (const records of session.read<Record<string, string>>(`select s.ctid::text as id, ${cells} from ${staging} s`, batchRows)) {
    for (const record of records) {
      for (const { planned, cell, guess, misfits } of columns) {
        const text = record[`c${cell}`]!
        const plain = plainText(text, notation)
        guess?.add(text, plain)
        misfits.add(text, record.id!, plain)
        if (planned.role === 'key') key.add(text)
      }
    }
  }
  for (const { planned, cell, guess } of columns) {
    const { column } = planned
    if (!guess) continue
    // Without their format, percents and amounts are plain numbers.
    const isNumber = column.type === shownUnit(planned.form)?.type && formOf(cell) !== planned.form
    const type = heldType(isNumber ? 'decimal' : column.type, guess.result().type)
    if (planned.role === 'column' && type !== column.type) planned.column = { name: column.name, type }
    if (planned.role === 'key' && !key.isKey()) planned.column = { name: column.name, type }
  }
  // A type that nearly fits the first records is reported, even if many later records contradict it.
  const near = columns.map(({ planned, misfits }) => (isFallback(planned.column.type) ? misfits.nearest(!!planned.near) : null))
  const lines = await linesOf(near.flatMap((each) => each?.first.at ?? []))
  for (const [index, { planned }] of columns.entries()) planned.near = withLine(near[index]!, lines)
  return key.isKey()
}

function openColumn(planned: ColumnPlan, cell: number, notation: FileNotation, formOf: FormOf) {
  const guess = isOpen(planned) ? createTypeGuess(notation, formOf(cell)) : null
  const types = withWider(planned.near?.guess ?? planned.column)
  return { planned, cell, guess, misfits: createMisfitCount<string>(types, { notation, form: planned.form ?? null }) }
}

const withLine = (near: NearType<string> | null, lines: Map<string, number>): NearType | null =>
  near && { ...near, first: { ...near.first, at: lines.get(near.first.at) ?? 0 } }

/**
 * The near type of a column for types of which PostgreSQL accepts less than the guessing rules do.
 * @param condition of misfits on `s`
 */
export async function readMisfit(
  session: ImportSession,
  cell: number,
  { guess, misfits, condition }: { guess: Guess; misfits: number; condition: string },
  linesOf: GuessedFile['linesOf'],
): Promise<NearType> {
  const filled = `(select count(*) from ${staging} s where ${cellName(cell)} <> '')::int`
  const [row] = await session.run<{ id: string; value: string; cells: number }>(
    `select s.ctid::text as id, ${cellName(cell)} as value, ${filled} as cells from ${staging} s where ${condition} order by s.ctid limit 1`,
  )
  const { id, value, cells } = row!
  return { guess, cells, misfits, first: { value, at: (await linesOf([id])).get(id) ?? 0 } }
}
