import { driverError, sqlState } from '../db/failures'
import { conflict, Failure, invalidRequest, notFound, type Problem, validationFailed } from '../errors'

type DatabaseError = { column_name?: string; constraint_name?: string; detail?: string }

/**
 * What PostgreSQL says about a write → a failure that names the column, never the SQL or the value.
 * @throws what it was given, when that is a failure already or has nothing to do with the values and the table
 */
export function refusedWrite(error: unknown): never {
  const state = error instanceof Failure ? undefined : sqlState(error)
  throw (state && (valueFailure(state, error) ?? changedTable(state))) ?? error
}

/** As `refusedWrite`, for a read. */
export function refusedRead(error: unknown): never {
  const state = error instanceof Failure ? undefined : sqlState(error)
  // "Program limit exceeded": PostgreSQL puts no more than a gigabyte into one value.
  if (state?.startsWith('54')) throw invalidRequest('The answer would be larger than PostgreSQL can write.', 'Ask for fewer with `limit`.')
  throw (state && changedTable(state)) ?? error
}

/** For a statement that fits the table as we know it, and not the table that is there. */
function changedTable(state: string): Failure | null {
  // Undefined table; undefined schema.
  if (['42P01', '3F000'].includes(state)) return notFound('The table is no longer in the database.')
  if (state === '42501') {
    return conflict('The database does not give Rowhouse the right to do this with the table.', {
      hint: 'Grant the role of DATABASE_URL its rights on the table again, in the database.',
    })
  }
  // Undefined column; undefined operator; type mismatch; wrong kind of relation; generated column; a view that takes no writes.
  if (['42703', '42883', '42804', '42809', '428C9', '55000'].includes(state)) {
    return conflict('The table was changed in the database by other means than Rowhouse.', {
      hint: 'Change it back there, to the columns and types that GET /api/v1/tables shows.',
    })
  }
  return null
}

function valueFailure(state: string, error: unknown): Failure | null {
  const source = driverError(error) as DatabaseError
  const columns = columnsOf(source)
  const at = (message: string): Problem[] => (columns.length ? columns : ['']).map((name) => ({ path: name && `/${name}`, message }))
  const named = columns.length ? `"${columns.join('", "')}"` : 'a column'
  if (state === '23505') return conflict(`Another record has this value in ${named}.`, { errors: at('must be unique') })
  if (state === '23P01')
    return conflict(`The value of ${named} clashes with another record.`, { errors: at('clashes with another record') })
  // 23001: PostgreSQL 18 tells "on delete restrict" from the other links.
  if (['23503', '23001'].includes(state))
    return conflict(`The value of ${named} has no counterpart, or other records still point to this one.`, { errors: at('breaks a link') })
  if (state === '23502') return validationFailed(at('is required and cannot be null'))
  if (state === '23514') return validationFailed(at('does not fit a rule of this table'))
  // Class 22 is "data exception": out of range, invalid text for a type, NUL in a string (22P05) …
  if (state.startsWith('22')) return validationFailed(at('A value is out of range or not of its column’s type.'))
  // Class 54 is "program limit exceeded": a key or unique value longer than an index entry, a row wider than a page.
  if (state.startsWith('54')) return validationFailed(at('A value is too long for a key or a unique column, or the record is too wide.'))
  // Class P0 is raised by a function in PL/pgSQL, which none of ours is. Its text may hold values.
  if (state.startsWith('P0')) {
    return conflict('A rule in the database refused this.', { hint: 'A trigger of the table decides; ask who keeps the database.' })
  }
  return null
}

/** The columns that an error is about: named by PostgreSQL, or read from `Key (a, b)=(…)`, of which the values are left out. */
function columnsOf({ column_name, detail }: DatabaseError): string[] {
  if (column_name) return [column_name]
  const [, names] = /^Key \((.*?)\)=\(/s.exec(detail ?? '') ?? []
  return names ? names.split(', ').map((name) => name.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')) : []
}
