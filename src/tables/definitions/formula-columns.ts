import { sqlState } from '../../db/errors'
import type { Query } from '../../db/open'
import { type Problem, validationFailed } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import type { ColumnTypeName } from '../column-types'
import type { ColumnDescription, TableRef } from '../ddl'
import { FormulaProblem, readFormula } from '../formulas/formula'
import { qualifiedName } from '../sql-text'

/** The types that a formula may return, by PostgreSQL's names. */
const valueTypes: Record<string, ColumnTypeName> = {
  ...{ text: 'text', integer: 'integer', bigint: 'bigint', numeric: 'decimal', 'double precision': 'float', boolean: 'boolean' },
  ...{ date: 'date', 'time without time zone': 'time', 'timestamp with time zone': 'dateTime', uuid: 'uuid', jsonb: 'json' },
}

const throwInvalidFormula = (path: string, message: Message): never => {
  throw validationFailed([{ path: `${path}/options/expression`, message } satisfies Problem])
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
  const expression = String(column.options.expression)
  const others = table.columns.filter(({ name }) => name !== column.name)
  const { sql, text } = await readFormula(expression, others).catch((error) =>
    error instanceof FormulaProblem ? throwInvalidFormula(path, error.text) : Promise.reject(error),
  )
  const sqlType = await formulaType(query, table, sql, path)
  const valueType = valueTypes[sqlType]
  if (!valueType)
    throwInvalidFormula(path, translatable('The formula returns values of a type that no column has; end it with a cast, such as ::text.'))
  return { ...column, sqlType, generatedAs: sql, options: { expression: text, valueType } }
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
    throw error
  }
}

/**
 * For errors of the statement that makes the column.
 * @throws Failure validation_failed if PostgreSQL refuses the formula; otherwise the given error
 */
export function throwFormulaError(error: unknown, path: string): never {
  // "Invalid object definition": generation expression is not immutable.
  if (sqlState(error) !== '42P17') throw error
  return throwInvalidFormula(
    path,
    translatable(
      "The formula depends on more than the record: on a setting such as the time zone or language. Name the time zone, as in (moment at time zone 'UTC'), or split numbers and dates with extract.",
    ),
  )
}
