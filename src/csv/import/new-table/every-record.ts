import type { FileNotation } from '../notation-sql'
import type { ImportSession } from '../session'
import { cellName, staging } from '../values'
import { createKeyGuess, createTypeGuess, heldType, shownUnit } from './guess'
import type { ColumnPlan, FormOf, TablePlan } from './plan'

/** So many records come at a time. */
const batchRows = 1000

/** A column whose type was guessed, and can turn out to be another one. */
const isOpen = ({ role, column, isAsked }: ColumnPlan): boolean =>
  role === 'key' || (role === 'column' && !isAsked && column.type !== 'text' && column.type !== 'longText')

/**
 * Checks the guessed types against every record in the staging table, by the rules that guessed them from the first
 * records. PostgreSQL would accept more as a number or a time than the rules do, and write it in another form: `007`,
 * `1e5`, `0x1F`, `1_000`, `24:00`.
 * @returns whether each cell of the key can be one
 */
export async function checkGuesses(
  session: ImportSession,
  plan: TablePlan,
  { notation, formOf }: { notation: FileNotation; formOf: FormOf },
): Promise<boolean> {
  const open = plan.columns.map((planned, cell) => ({ planned, cell })).filter(({ planned }) => isOpen(planned))
  if (open.length === 0) return true
  const columns = open.map(({ planned, cell }) => ({ planned, cell, guess: createTypeGuess(notation, formOf(cell)) }))
  const key = createKeyGuess(plan.key.type)
  const cells = columns.map(({ cell }) => `coalesce(${cellName(cell)}, '') as c${cell}`).join(', ')
  for await (const records of session.read<Record<string, string>>(`select ${cells} from ${staging} s`, batchRows)) {
    for (const record of records) {
      for (const { planned, cell, guess } of columns) {
        const text = record[`c${cell}`]!
        guess.add(text)
        if (planned.role === 'key') key.add(text)
      }
    }
  }
  for (const { planned, cell, guess } of columns) {
    const { column } = planned
    // Without their format, percents and amounts are the numbers that they are.
    const isNumber = column.type === shownUnit(planned.form)?.type && formOf(cell) !== planned.form
    const type = heldType(isNumber ? 'decimal' : column.type, guess.result().type)
    if (planned.role === 'column' && type !== column.type) planned.column = { name: column.name, type }
    if (planned.role === 'key' && !key.isKey()) planned.column = { name: column.name, type }
  }
  return key.isKey()
}
