import { throwTooHeavy } from '../../query/sql/weight'
import { throwDatabaseFailure } from './database-errors'
import { throwQueryFailure } from './query-errors'

/** @throws what it was given, in PostgREST's words where it is of the request's doing */
export function throwRestError(error: unknown): never {
  try {
    throwQueryFailure(toQueryError(error))
  } catch (refused) {
    throwDatabaseFailure(refused)
  }
}

function toQueryError(error: unknown): unknown {
  try {
    return throwTooHeavy(error)
  } catch (refused) {
    return refused
  }
}
