import { throwTooHeavy } from '../../query/sql/weight'
import { toDenial } from '../../store/errors'
import { throwDatabaseFailure, type WriteTarget } from './database-errors'
import { throwQueryFailure } from './query-errors'

/** @throws the given error, in PostgREST's form if the request caused it */
export function throwRestError(error: unknown, written?: WriteTarget): never {
  const denied = toDenial(error, written?.table)
  if (denied) throw denied
  try {
    throwQueryFailure(toQueryError(error))
  } catch (refused) {
    throwDatabaseFailure(refused, written)
  }
}

function toQueryError(error: unknown): unknown {
  try {
    return throwTooHeavy(error)
  } catch (refused) {
    return refused
  }
}
