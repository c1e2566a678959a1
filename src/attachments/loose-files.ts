import { arrayLiteral } from '../db/arrays'
import type { Db, Executor } from '../db/open'
import { besideRequest } from '../db/scope'
import type { Storage } from './storage/storage'
import { thumbnailNames } from './thumbnail-names'

const leaseMinutes = 10
const renewEveryMs = 2 * 60_000

/**
 * Keeps the sweep away from bytes of an upload under way, on every instance. A process that dies renews nothing, and
 * its bytes are swept.
 * `add` comes before the first byte is written, so that there are never bytes that nobody knows of.
 */
export type Lease = { ids: readonly string[]; add: () => Promise<string>; end: () => void }

/** @param everyMs how often it is renewed */
export function takeLease(db: Db, everyMs = renewEveryMs): Lease {
  const ids: string[] = []
  const renew = (): Promise<unknown> =>
    ids.length
      ? db.query(`update rowhouse.loose_files set expires_at = now() + interval '${leaseMinutes} minutes' where id = any($1::uuid[])`, [
          arrayLiteral(ids),
        ])
      : Promise.resolve()
  let isRenewing = false
  const renewOnce = async () => {
    // One that waits for the database renews for those that would come meanwhile.
    if (isRenewing) return
    isRenewing = true
    // When the database is away the next renewal may still come in time; else the upload is refused at its end.
    await besideRequest(renew).catch(() => {})
    isRenewing = false
  }
  const timer = setInterval(() => void renewOnce(), everyMs)
  return {
    ids,
    add: async () => {
      const id = Bun.randomUUIDv7()
      const insert = `insert into rowhouse.loose_files (id, expires_at) values ($1::uuid, now() + interval '${leaseMinutes} minutes')`
      await besideRequest(() => db.query(insert, [id]))
      ids.push(id)
      return id
    },
    end: () => clearInterval(timer),
  }
}

/**
 * Deletes bytes and forgets them. Ids that have become files meanwhile, and ids that another instance is deleting, are
 * left alone: their rows are not there, or locked. The bytes go first: after a crash in between they are deleted again,
 * which does no harm.
 * @returns how many there were
 */
export async function deleteLoose(db: Db, storage: Storage, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  const remove = async ({ query }: Executor) => {
    const locked = 'select id from rowhouse.loose_files where id = any($1::uuid[]) for update skip locked'
    const found = (await query<{ id: string }>(locked, [arrayLiteral(ids)])).map(({ id }) => id)
    await storage.remove(found.flatMap((id) => [id, ...thumbnailNames(id)]))
    await query('delete from rowhouse.loose_files where id = any($1::uuid[])', [arrayLiteral(found)])
    return found.length
  }
  return besideRequest(() => db.transaction(remove))
}
