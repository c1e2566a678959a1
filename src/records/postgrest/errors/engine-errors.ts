import type { Table } from '../../../tables/model'
import { throwTooHeavy } from '../../query/sql/weight'
import { toDenial } from '../../store/errors'
import { throwDatabaseFailure } from './database-errors'
import { throwQueryFailure } from './query-errors'

/**
 * @param table the written table
 * @throws the given error, in PostgREST's form if the request caused it
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
