import type { Table } from '../../../tables/model'
import { throwTooHeavy } from '../../query/sql/weight'
import { toDenial } from '../../store/errors'
import { throwDatabaseFailure } from './database-errors'
import { throwQueryFailure } from './query-errors'

/**
 * @param table the table written
 * @throws what it was given, in PostgREST's words where it is of the request's doing
 */
export function throwRestError(error: unknown, table?: Table): never {
  const denied = toDenial(error, table)
  if (denied) throw denied
  try {
    throwQueryFailure(toQueryError(error))
  } catch (refused) {
    throwDatabaseFailure(refused, table)
  }
}

function toQueryError(error: unknown): unknown {
  try {
    return throwTooHeavy(error)
  } catch (refused) {
    return refused
  }
}
