import { refuseTooHeavy } from '../../query/sql/weight'
import { refuseDatabase } from './database-errors'
import { refuseQuery } from './query-errors'

/** @throws what it was given, in PostgREST's words where it is of the request's doing */
export function refuse(error: unknown): never {
  try {
    refuseQuery(inWords(error))
  } catch (refused) {
    refuseDatabase(refused)
  }
}

function inWords(error: unknown): unknown {
  try {
    return refuseTooHeavy(error)
  } catch (refused) {
    return refused
  }
}
