import { sqlState } from '../../../db/errors'
import type { Query } from '../../../db/pool/open'
import { operator } from '../../../db/search-path'
import { Failure } from '../../../errors'
import { literal } from '../../sql-text'

/**
 * A rule of the linked table refuses a record with this name, perhaps only in combination with records for earlier
 * names.
 */
export class RefusedName extends Error {
  constructor(readonly refused: string) {
    super('A rule of the linked table refuses a name.')
  }
}

/**
 * `names` is SQL of the names, as `name`, in the collation "C". `create` creates records for all names, or for the
 * names up to and including a given one.
 */
type Creation<Result> = { names: string; create: (last: string | null) => Promise<Result> }

/** SQL: a condition that `name` is not after `last`. */
export const upToName = (name: string, last: string | null): string =>
  last === null ? 'true' : `${name} ${operator('<=')} (${literal(last)} collate "C")`

/**
 * Creates the records of a transaction for all names.
 * @throws RefusedName, or an error that has nothing to do with names
 */
export async function createNamedRecords<Result>(query: Query, creation: Creation<Result>): Promise<Result> {
  const send = (text: string) => query<{ name: string }>(text, [], { prepare: false })
  await send('savepoint linked_names')
  try {
    const result = await creation.create(null)
    await send('release savepoint linked_names')
    return result
  } catch (error) {
    if (!isRefusal(error)) throw error
    await send('rollback to savepoint linked_names')
    const refused = await findRefused(send, creation)
    throw refused === undefined ? error : new RefusedName(refused)
  }
}

const isRefusal = (error: unknown): boolean => !(error instanceof Failure) && /^2[23]/.test(sqlState(error) ?? '')

/** Finds, by binary search, the first name for which the records up to it are refused. */
async function findRefused(send: (text: string) => Promise<{ name: string }[]>, { names, create }: Creation<unknown>) {
  const list = (await send(`select name from (${names}) n order by name`)).map(({ name }) => name)
  let [first, last] = [0, list.length - 1]
  while (first < last) {
    const middle = Math.floor((first + last) / 2)
    const isRefused = await create(list[middle]!).then(
      () => false,
      (error) => isRefusal(error) || Promise.reject(error),
    )
    await send('rollback to savepoint linked_names')
    if (isRefused) last = middle
    else first = middle + 1
  }
  return list[first]
}
