import { sqlState } from '../../db/errors'
import type { Query } from '../../db/pool/open'
import { type Problem, validationFailed } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import { columnTypes } from '../column-types'
import { isVirtual } from '../computed-value'
import type { ColumnDescription, TableRef } from '../ddl'
import { type Formula, readFormula } from '../formulas/formula'
import { clockName } from '../formulas/language/clock'
import { type CompiledFormula, compileFormula } from '../formulas/language/compile'
import { operandKind } from '../formulas/operand-kind'
import { type FormulaOperand, toOperand } from '../formulas/operands'
import { FormulaProblem, problemAt } from '../formulas/problem'
import type { FormulaUse, ListSummary } from '../formulas/read-formula'
import { formulaValueTypes } from '../formulas/value-types'
import type { Column } from '../model'
import { identifier, qualifiedName } from '../sql-text'

/** The option with the formula as it was typed. `formula` is in the language of spreadsheets, `expression` in SQL. */
const sourceOption = ({ options }: Pick<ColumnDescription, 'options'>) => (options.formula === undefined ? 'expression' : 'formula')

/** The options without those that only responses contain. */
export const sourceOnly = ({ formula, expression, ...options }: ColumnDescription['options']): ColumnDescription['options'] => ({
  ...(formula === undefined ? { expression } : { formula }),
  ...splitOptions(options).display,
})

/** `display` changes only how pages show the values of a formula. */
export function splitOptions(options: ColumnDescription['options']): Record<'display' | 'others', ColumnDescription['options']> {
  const isDisplay = ([name]: [string, unknown]) => columnTypes.formula.displayOptions?.includes(name)
  const entries = Object.entries(options)
  return {
    display: Object.fromEntries(entries.filter(isDisplay)),
    others: Object.fromEntries(entries.filter((entry) => !isDisplay(entry))),
  }
}

const formulaPath = (column: Pick<ColumnDescription, 'options'>, path: string): string => `${path}/options/${sourceOption(column)}`

const throwInvalidFormula = (path: string, message: Message, position: number | null = null): never => {
  throw validationFailed([{ path, message, ...(position === null ? {} : { position }) } satisfies Problem])
}

/** A column of the table, for a formula. */
type SourceColumn = Pick<Column, 'id' | 'name' | 'type' | 'options' | 'sqlType'>

/**
 * Completes a formula column with its SQL and the type of its result: `generatedAs`, or `readFormula` if it is computed
 * at each read. The other columns have to exist already.
 * @throws Failure validation_failed
 */
export async function withFormula(
  query: Query,
  table: TableRef & { columns: readonly SourceColumn[] },
  column: ColumnDescription,
  path: string,
): Promise<ColumnDescription> {
  // The column itself has no type yet, so that its name in the formula is found and refused.
  const others = table.columns
    .filter(({ name }) => name !== clockName)
    .map((other) => (other.id === column.id ? { ...other, options: sourceOnly(column.options) } : other))
  const place = formulaPath(column, path)
  const { sql, shown, uses, growth, isAtRead, isTimed, summaries } = await readSource(column.options, others).catch((error) =>
    error instanceof FormulaProblem ? throwInvalidFormula(place, error.text, error.position) : Promise.reject(error),
  )
  const used = others.filter(({ name }) => uses.includes(name))
  const sqlType = await formulaType(query, table, used, { sql, isTimed, summaries }, place)
  const valueType = formulaValueTypes[sqlType]
  if (!valueType)
    return throwInvalidFormula(
      place,
      translatable('The formula returns values of a type that no column has; end it with a cast, such as ::text.'),
    )
  const described = { ...column, sqlType, options: { ...shown, valueType, ...splitOptions(column.options).display } }
  if (!isAtRead) return { ...described, generatedAs: sql }
  const readFormula = {
    ...{ sql, valueType, growth, isTimed },
    uses: [
      ...used.map((operand) => useOf(operand, operand.name)),
      ...summaries.map(({ name, column: list, summary }) => useOf(others.find((other) => other.name === list)!, name, summary)),
    ],
  }
  return { ...described, options: { ...described.options, atRead: true }, readFormula }
}

const useOf = (column: SourceColumn, name: string, summary?: ListSummary): FormulaUse => ({
  ...{ id: column.id, name, type: operandKind(column) },
  ...(summary ? { summary } : {}),
})

type FormulaSource = Pick<Formula, 'sql' | 'uses' | 'growth'> &
  Pick<CompiledFormula, 'isAtRead' | 'isTimed' | 'summaries'> & {
    /** The options that show how the column is computed. */
    shown: ColumnDescription['options']
  }

/** @throws FormulaProblem */
async function readSource({ formula, expression }: ColumnDescription['options'], columns: readonly SourceColumn[]): Promise<FormulaSource> {
  if (formula === undefined) {
    const { text, ...found } = await readFormula(String(expression), columns)
    return { ...found, shown: { expression: text }, isAtRead: false, isTimed: false, summaries: [] }
  }
  const operands = columns.map(toOperand)
  const compiled = compileFormula(String(formula), operands)
  const clock: FormulaOperand[] = compiled.isTimed ? [{ name: clockName, type: 'dateTime' }] : []
  const readable = [...clock, ...compiled.summaries.map(({ operand }) => operand), ...operands]
  const found = await readFormula(compiled.expression, readable).catch((error) => {
    // A position in the generated SQL means nothing to the author of the formula.
    if (error instanceof FormulaProblem) throw problemAt(error.predicate ?? translatable('is too complex'), null)
    throw error
  })
  return { ...found, ...compiled, shown: { formula: compiled.text, expression: compiled.expression } }
}

async function formulaType(
  query: Query,
  table: TableRef,
  used: readonly SourceColumn[],
  { sql, isTimed, summaries }: Pick<FormulaSource, 'sql' | 'isTimed' | 'summaries'>,
  path: string,
): Promise<string> {
  const operands = summaries.map(({ operand }) => operand)
  const beside = [...used.filter(isVirtual), ...operands, ...(isTimed ? [{ name: clockName, sqlType: 'timestamptz' }] : [])]
  const stored = used.filter((column) => !isVirtual(column)).map(({ name }) => `t.${identifier(name)}`)
  const values = [...stored, ...beside.map(({ name, sqlType }) => `null::${sqlType} as ${identifier(name)}`)].join(', ')
  try {
    const text = `select pg_typeof((select ${sql} from (select ${values} from ${qualifiedName(table)} t) r limit 0))::text as type`
    const [row] = await query<{ type: string }>(text, [], { prepare: false })
    return row!.type
  } catch (error) {
    const state = sqlState(error) ?? ''
    if (/^42(883|804|725|P18|846|703|601|P22|809)$/.test(state)) {
      return throwInvalidFormula(
        path,
        translatable('A function or an operator of the formula does not take values of these types; casts may help.'),
      )
    }
    if (state.startsWith('22'))
      return throwInvalidFormula(path, translatable('The formula always fails: a constant is not of its type, or it divides by zero.'))
    // "Statement too complex": the stack of PostgreSQL is too small for it.
    if (state === '54001') return throwInvalidFormula(path, problemAt(translatable('is too complex'), null).text)
    throw error
  }
}

/**
 * For errors of the statement that makes the column.
 * @throws Failure validation_failed if PostgreSQL refuses the formula; otherwise the given error
 */
export function throwFormulaError(error: unknown, column: Pick<ColumnDescription, 'options'>, path: string): never {
  const state = sqlState(error)
  const place = formulaPath(column, path)
  // PostgreSQL evaluates functions of constants before it knows their collation.
  if (state === '42P22')
    return throwInvalidFormula(
      place,
      problemAt(translatable('computes a text from constants alone; write the result in its place'), null).text,
    )
  // "Invalid object definition": generation expression is not immutable.
  if (state !== '42P17') throw error
  return throwInvalidFormula(
    place,
    translatable(
      "The formula depends on more than the record: on a setting such as the time zone or language. Name the time zone, as in (moment at time zone 'UTC'), or split numbers and dates with extract.",
    ),
  )
}

/** For a formula that PostgreSQL cannot compute from the values of some record. @throws Failure validation_failed */
export const throwFormulaValues = (column: Pick<ColumnDescription, 'options'>, path: string): never =>
  throwInvalidFormula(formulaPath(column, path), problemAt(translatable('cannot be computed for one of the first records'), null).text)
