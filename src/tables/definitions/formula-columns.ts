import { sqlState } from '../../db/errors'
import type { Query } from '../../db/pool/open'
import { type Problem, validationFailed } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import type { ColumnTypeName } from '../column-types'
import type { ColumnDescription, TableRef } from '../ddl'
import { readFormula } from '../formulas/formula'
import { compileFormula } from '../formulas/language/compile'
import { FormulaProblem, problemAt } from '../formulas/problem'
import { qualifiedName } from '../sql-text'

/** The types that a formula may return, by PostgreSQL's names. */
const valueTypes: Record<string, ColumnTypeName> = {
  ...{ text: 'text', integer: 'integer', bigint: 'bigint', numeric: 'decimal', 'double precision': 'float', boolean: 'boolean' },
  ...{ date: 'date', 'time without time zone': 'time', 'timestamp with time zone': 'dateTime', uuid: 'uuid', jsonb: 'json' },
}

/** The option with the formula as it was typed. `formula` is in the language of spreadsheets, `expression` in SQL. */
const sourceOption = ({ options }: Pick<ColumnDescription, 'options'>) => (options.formula === undefined ? 'expression' : 'formula')

const pathOf = (column: Pick<ColumnDescription, 'options'>, path: string): string => `${path}/options/${sourceOption(column)}`

const throwInvalidFormula = (path: string, message: Message, position: number | null = null): never => {
  throw validationFailed([{ path, message, ...(position === null ? {} : { position }) } satisfies Problem])
}

/**
 * Completes a formula column with its SQL and the type of its result. The other columns have to exist already.
 * @throws Failure validation_failed
 */
export async function withFormula(
  query: Query,
  table: TableRef & { columns: readonly Pick<ColumnDescription, 'name' | 'type'>[] },
  column: ColumnDescription,
  path: string,
): Promise<ColumnDescription> {
  const others = table.columns.filter(({ name }) => name !== column.name)
  const place = pathOf(column, path)
  const { sql, shown } = await readSource(column.options, others).catch((error) =>
    error instanceof FormulaProblem ? throwInvalidFormula(place, error.text, error.position) : Promise.reject(error),
  )
  const sqlType = await formulaType(query, table, sql, place)
  const valueType = valueTypes[sqlType]
  if (!valueType)
    throwInvalidFormula(place, translatable('The formula returns values of a type that no column has; end it with a cast, such as ::text.'))
  return { ...column, sqlType, generatedAs: sql, options: { ...shown, valueType } }
}

type SourceColumns = Parameters<typeof readFormula>[1]

/** @returns the SQL of the column, and the options that show how it is computed @throws FormulaProblem */
async function readSource(
  { formula, expression }: ColumnDescription['options'],
  columns: SourceColumns,
): Promise<{ sql: string; shown: ColumnDescription['options'] }> {
  if (formula === undefined) {
    const { sql, text } = await readFormula(String(expression), columns)
    return { sql, shown: { expression: text } }
  }
  const compiled = compileFormula(String(formula), columns)
  const { sql } = await readFormula(compiled.expression, columns).catch((error) => {
    // A position in the generated SQL means nothing to the author of the formula.
    if (error instanceof FormulaProblem) throw problemAt(error.predicate ?? translatable('is too complex'), null)
    throw error
  })
  return { sql, shown: { formula: compiled.text, expression: compiled.expression } }
}

async function formulaType(query: Query, table: TableRef, sql: string, path: string): Promise<string> {
  try {
    const text = `select pg_typeof((select ${sql} from ${qualifiedName(table)} limit 0))::text as type`
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
    // The stack of PostgreSQL is too small for it.
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
  const place = pathOf(column, path)
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
  throwInvalidFormula(pathOf(column, path), problemAt(translatable('cannot be computed for one of the first records'), null).text)
