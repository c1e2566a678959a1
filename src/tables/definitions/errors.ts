import { driverError, ruleFailure, sqlState } from '../../db/errors'
import { conflict, Failure, type Problem } from '../../errors'
import { type Message, translatable } from '../../messages/message'

/** The member of the body that usually causes an error. */
const members: Record<string, string> = {
  ...{
    '42P07': '/name',
    '42710': '/name',
    '42701': '/name',
    '23505': '/unique',
    '23502': '/required',
    '23503': '/options',
    '23514': '/options',
    '42P16': '/options/table',
    '55000': '/options/table',
  },
}

const unlinkable = translatable('PostgreSQL lets no link lead to this table: it is unlogged, or its key is deferrable.')

/**
 * PostgreSQL's error about a change of definitions → a failure in terms of tables and columns, never of SQL.
 * @param path the part of the body with the reason, if a single one can be named
 * @param hasValues whether the column already has its values, which a default does not fill in
 * @throws the given error, if it has nothing to do with definitions
 */
export function throwChangeError(
  error: unknown,
  { name, path = '', hasValues = false }: { name?: string; path?: string; hasValues?: boolean } = {},
): never {
  const state = error instanceof Failure ? undefined : sqlState(error)
  const at = (message: Message): Problem[] => [{ path: path || (members[state ?? ''] ?? ''), message }]
  switch (state) {
    // A unique row of our metadata, or a relation, type or column that was made in psql.
    case '42P07':
    case '42710':
    case '42701':
      throw conflict(
        name === undefined
          ? translatable('The name is taken in the database.')
          : translatable('The name "{name}" is taken in the database.', { name }),
        {
          errors: at(translatable('is taken')),
        },
      )
    case '2BP01':
      throw conflict(translatable('Something else in the database depends on this.'), {
        hint: translatable('It is a view, a foreign key or a function that was created outside Rowhouse: remove it there first.'),
      })
    case '0A000':
      throw conflict(translatable('A view, a rule or a generated column in the database depends on this column’s type.'), {
        hint: translatable('Remove the dependent objects there first.'),
      })
    case '55006':
    case '42P01':
    case '42703':
    case '42704':
    case '3F000':
      throw conflict(translatable('The table was just altered outside Rowhouse.'), {
        hint: translatable('Read the table again, and retry.'),
      })
    case '42501':
      throw conflict(translatable('Rowhouse does not have the database privileges to do this.'), {
        hint: translatable('Grant the role of DATABASE_URL the privileges on the schema and its tables, or make it their owner.'),
      })
    // An identity column or a generated one, made in psql.
    case '42601':
    case '42611':
      throw conflict(translatable('The database generates the values of this column.'))
    case '42P16':
    case '55000':
      throw conflict(unlinkable, { errors: at(unlinkable) })
    case '54011':
      throw conflict(translatable('PostgreSQL has no room for more columns in this table.'), {
        hint: translatable('Dropped columns count, too.'),
      })
  }
  if (state === undefined) throw error
  const raised = driverError(error) as { message: string; hint?: string }
  throw valueRefusal(state, error, at, hasValues) ?? ruleFailure(state, raised) ?? error
}

/** The failure for a change that the stored records do not allow. */
function valueRefusal(state: string, error: unknown, at: (message: Message) => Problem[], hasValues: boolean): Failure | null {
  const { column_name } = driverError(error) as { column_name?: string }
  const column = column_name === undefined ? 'the column' : `"${column_name}"`
  if (state === '23505')
    return conflict(translatable('Several records have the same value in this column.'), {
      errors: at(translatable('is not unique among the records')),
    })
  if (state === '23502') {
    return conflict(translatable('Some records have no value in {column}.', { column }), {
      errors: at(translatable('some records have no value')),
      hint: hasValues ? translatable('Fill in the values first.') : translatable('Give the column a default, or fill in the values first.'),
    })
  }
  if (state === '23514') return conflict(translatable('Some records do not fit.'), { errors: at(translatable('some records do not fit')) })
  if (['23503', '23001'].includes(state)) {
    return conflict(translatable('Some records point to records that do not exist.'), {
      errors: at(translatable('some records have no counterpart')),
    })
  }
  if (state.startsWith('22'))
    return conflict(translatable('Some records do not fit: a value is out of range or of another kind.'), {
      errors: at(translatable('some records do not fit')),
    })
  if (state.startsWith('54'))
    return conflict(translatable('A value is too long for a key or a unique column.'), {
      errors: at(translatable('some values are too long')),
    })
  return null
}
