import { refuseDatabase } from './database-errors'
import { refuseQuery } from './query-problems'

/** @throws what it was given, in PostgREST's words where it is of the request's doing */
export function refuse(error: unknown): never {
  try {
    refuseQuery(error)
  } catch (refused) {
    refuseDatabase(refused)
  }
}
