import { arrayLiteral } from '../db/arrays'
import type { Db, Executor } from '../db/pool/open'
import { besideRequest } from '../db/pool/scope'
import { equal } from '../db/search-path'
import type { Deps } from '../deps'
import { unlessRunning } from '../unless-running'
import { thumbnailNames } from './thumbnail-names'

const leaseMinutes = 10
const renewEveryMs = 2 * 60_000

/**
 * A loose file is one whose bytes are in the storage, or on their way, while no row of `rowhouse.files` has its id: an
 * upload that is not finished, or a file that was deleted. Its row in `rowhouse.loose_files` says when the sweep may
 * delete the bytes.
 *
 * An upload lease keeps the sweep of every instance away from the bytes of an upload under way, by extending that time.
 * When a process dies, its leases expire and the bytes are swept. `add` is called before the first byte is written, so
 * that no bytes exist without a row.
 */
export type UploadLease = { ids: readonly string[]; add: () => Promise<string>; end: () => void }

/** @param everyMs the interval between renewals */
export function takeUploadLease(db: Db, everyMs = renewEveryMs): UploadLease {
  const ids: string[] = []
  const renew = (): Promise<unknown> =>
    ids.length
      ? db.query(`update rowhouse.loose_files set expires_at = now() + interval '${leaseMinutes} minutes' where id = any($1::uuid[])`, [
          arrayLiteral(ids),
        ])
      : Promise.resolve()
  // A renewal that waits for the database renews all ids when it runs, so a second one is not needed. If the database
  // is unavailable, the next renewal may still be in time; otherwise the upload fails at its end.
  const renewOnce = unlessRunning(() => besideRequest(renew).catch(() => {}))
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
 * Deletes the bytes of loose files, then their rows. Skips ids that have become files meanwhile (their rows are gone)
 * and ids that another instance is deleting (their rows are locked). After a crash between the two deletions, the bytes
 * are deleted again, which is harmless.
 * @returns the number of files deleted
 * @throws Failure unavailable, also if the database now uses another storage, whose bytes would remain
 */
export async function deleteLoose(
  { db, storage, storageIdentity }: Pick<Deps, 'db' | 'storage' | 'storageIdentity'>,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0
  await storageIdentity.require()
  const remove = async ({ query }: Executor) => {
    // The lock prevents a change of the storage until the bytes are deleted.
    const own = `select from rowhouse.storage where id ${equal} $1::uuid for share`
    if ((await query(own, [storageIdentity.id()])).length === 0) return null
    const locked = 'select id from rowhouse.loose_files where id = any($1::uuid[]) for update skip locked'
    const found = (await query<{ id: string }>(locked, [arrayLiteral(ids)])).map(({ id }) => id)
    await storage.remove(found.flatMap((id) => [id, ...thumbnailNames(id)]))
    await query('delete from rowhouse.loose_files where id = any($1::uuid[])', [arrayLiteral(found)])
    return found.length
  }
  const deleted = await besideRequest(() => db.transaction(remove))
  if (deleted !== null) return deleted
  await storageIdentity.requireAgain()
  return 0
}
