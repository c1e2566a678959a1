import { sqlState } from '../../../db/errors'
import type { Executor } from '../../../db/pool/open'
import { validationFailed } from '../../../errors'
import { exactJson } from '../../../exact-json'
import type { Message } from '../../../messages/message'
import type { Tables } from '../../../tables/catalog/catalog'
import { withVirtualColumns } from '../../../tables/catalog/virtual-columns'
import { type ComputedValue, isStoredColumn } from '../../../tables/computed-value'
import type { ColumnDescription } from '../../../tables/ddl'
import { optionProblems } from '../../../tables/definitions/column-validation'
import { throwFormulaValues, withFormula } from '../../../tables/definitions/formula-columns'
import { displayColumnOf } from '../../../tables/display-column'
import { type ProposedDisplay, proposedDisplay } from '../../../tables/formulas/language/amounts'
import { toOperand } from '../../../tables/formulas/operands'
import type { Column, Table } from '../../../tables/model'
import { identifier } from '../../../tables/sql-text'
import { inQuotes } from '../../query/parse/pairs'
import { listRecords } from './list'

type FormulaPreview = {
  options: Column['options']
  proposed: ProposedDisplay
  records: { name: unknown; value: unknown }[]
}

const shownRecords = 5

/**
 * The values that a formula would have in the first records. They are read as a computed column of the list, so that
 * the caller's access rules apply to the records, and to the columns that the formula may use.
 * @throws Failure validation_failed
 */
export async function previewFormula(
  executor: Executor,
  tables: Tables,
  table: Table,
  options: Column['options'],
): Promise<FormulaPreview> {
  const problems = optionProblems({ type: 'formula', options }, '')
  if (problems.length) throw validationFailed(problems)
  const columns = table.columns.filter(isUsable)
  const id = Bun.randomUUIDv7()
  const described = await withFormula(executor.query, { ...table, columns }, blankColumn(id, options), '')
  const column = previewColumn(tables, table, columns, described)
  const previewed = { ...table, columns: [...table.columns, column] }
  const name = displayColumnOf(table)?.name
  const select = [...(name === undefined ? [] : [name]), column.name].map(inQuotes).join(',')
  // Plans are cached for each object with the tables; this one has a column that no other request has.
  const list = listRecords(executor, { ...tables }, previewed, [
    ['select', select],
    ['limit', String(shownRecords)],
  ])
  const { json } = await list.catch((error) => {
    if (sqlState(error)?.startsWith('22')) throwFormulaValues(described, '')
    throw error
  })
  const rows = exactJson(json) as Record<string, unknown>[]
  return {
    options: described.options,
    proposed: proposalFor(described, columns),
    records: rows.map((row) => ({ name: name === undefined ? null : row[name], value: row[column.name] })),
  }
}

/** SQL may do anything with amounts, so only a formula in the language of spreadsheets gets a proposal. */
function proposalFor({ options: { formula, valueType } }: ColumnDescription, columns: readonly Column[]): ProposedDisplay {
  if (formula === undefined || valueType !== 'decimal') return {}
  return proposedDisplay(String(formula), columns.map(toOperand))
}

/** A column that the caller sees in every record that they may read. */
const isUsable = ({ isReadable, access }: Column): boolean => isReadable && !access?.isHidden && !access?.isUnreadable && !access?.visibleIn

const blankColumn = (id: string, options: Column['options']): Column => ({
  ...{ id, name: id, type: 'formula', options, sqlType: 'text', comparedAs: 'text', description: null, position: 0 },
  ...{ required: false, unique: false, default: null, defaultExpression: null, filledBy: 'generated', isReadable: true, isWritable: false },
})

/** @throws Failure validation_failed */
function previewColumn(tables: Tables, table: Table, columns: readonly Column[], described: ColumnDescription): Column {
  const { id, options, sqlType, readFormula, generatedAs } = described
  const blank = { ...blankColumn(id, options), sqlType, comparedAs: sqlType }
  if (!readFormula) return { ...blank, computed: computedBy(generatedAs!, columns) }
  const candidate = { ...table, columns: [...table.columns, { ...blank, readFormula }] }
  const list = withVirtualColumns(tables.list.map((other) => (other.id === table.id ? candidate : other)))
  const column = list.find((other) => other.id === table.id)!.columns.find((other) => other.id === id)!
  const { problem } = column.options
  if (problem !== undefined) throw validationFailed([{ path: '/options/formula', message: problem as Message }])
  return column
}

/** The formula names columns without their table, so it gets a source of one row that has all of them. */
function computedBy(value: string, columns: readonly Column[]): ComputedValue {
  const names = columns.filter(isStoredColumn).map(({ name }) => name)
  if (names.length === 0) return { from: ['from (select 1) r'], columns: [], value }
  const after = names.map((name, at) => ` as ${identifier(name)}${at === names.length - 1 ? ') r' : ', '}`)
  return { from: ['from (select ', ...after], columns: names, value }
}
