import { driverError, sqlState } from '../db/failures'
import { conflict, Failure, notFound, type Problem, validationFailed } from '../errors'

type DatabaseError = { column_name?: string; constraint_name?: string; detail?: string }

/** What PostgreSQL says about a write → a failure that names the column, never the SQL or the value. Other errors come back as they are. */
export function refusedWrite(error: unknown): unknown {
  if (error instanceof Failure) return error
  const state = sqlState(error)
  if (!state) return error
  const source = driverError(error) as DatabaseError
  const columns = columnsOf(source)
  const at = (message: string): Problem[] => (columns.length ? columns : ['']).map((name) => ({ path: name && `/${name}`, message }))
  const named = columns.length ? `"${columns.join('", "')}"` : 'a column'
  if (state === '23505') return conflict(`Another record has this value in ${named}.`, { errors: at('must be unique') })
  if (state === '23503')
    return conflict(`The value of ${named} has no counterpart, or other records still point to this one.`, { errors: at('breaks a link') })
  if (state === '23502') return validationFailed(at('is required and cannot be null'))
  if (state === '23514') return validationFailed(at('does not fit a rule of this table'))
  // Class 22 is "data exception": out of range, invalid text for a type, NUL in a string (22P05) …
  if (state.startsWith('22')) return validationFailed(at('A value is out of range or not of its column’s type.'))
  // Class 54 is "program limit exceeded": a key or unique value longer than an index entry, a row wider than a page.
  if (state.startsWith('54')) return validationFailed(at('A value is too long for a key or a unique column, or the record is too wide.'))
  if (state === '42P01') return notFound('The table is no longer in the database.')
  if (state === '42703') return conflict('A column of this table was changed in the database; try again.')
  return error
}

/** The columns that an error is about: named by PostgreSQL, or read from `Key (a, b)=(…)`, of which the values are left out. */
function columnsOf({ column_name, detail }: DatabaseError): string[] {
  if (column_name) return [column_name]
  const [, names] = /^Key \((.*?)\)=\(/s.exec(detail ?? '') ?? []
  return names ? names.split(', ').map((name) => name.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')) : []
}
