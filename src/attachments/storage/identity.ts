import { lockKeys } from '../../db/lock-keys'
import type { Db, Query } from '../../db/pool/open'
import { outsideOfScopes } from '../../db/pool/scope'
import { catalogPath, textAt } from '../../db/search-path'
import { Failure, unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import type { Events } from '../../ops/log/events'
import { isUuid } from '../../tables/column-types/uuid'
import { withTimeout } from '../../timeout'
import { isFileId, type MarkedStorage, markerName, type Storage } from './storage'
import { discardBytes } from './verified-bytes'

/** The storage does not belong to the database; the message says so and what to do. */
export class StorageMismatch extends Error {}

/**
 * The files of this database were moved from this storage to another one. The files it held then may still be read from
 * it.
 */
class StorageMoved extends StorageMismatch {}

type StorageState = 'ok' | 'unavailable' | 'mismatch' | 'moved'

export type StorageIdentity = {
  place: string
  /**
   * Compares database and storage. Claims the storage for a database that has none yet.
   * @throws StorageMismatch, Failure unavailable
   */
  verify: () => Promise<void>
  /**
   * Like `verify`, unless that has succeeded before. @throws Failure unavailable, also for another database's storage
   */
  require: () => Promise<void>
  /** Like `require`, after a write that found another `id` in the database. @throws like `require` */
  requireAgain: () => Promise<void>
  /** Like `require`, but also allows a storage that the files were moved from. @throws like `require` */
  requireReadable: () => Promise<void>
  /**
   * Like `require`, but compares now, after a read that found no bytes: the files may have been moved. @throws like
   * `require`
   */
  confirm: () => Promise<void>
  /** The id that storage and database shared at the last comparison; null if they differed or there was none. */
  id: () => string | null
  /** The result of `verify`, at most a few seconds old. Never throws. */
  state: () => Promise<StorageState>
}

/** /readyz is open to everyone, and requests to S3 cost money. */
const maxStateMs = 5000

/** S3 may be slow, and everything else works without it, so this does not wait. */
const maxStartMs = 5000

/**
 * The number of files that are looked up in a storage without an id before it counts as a different storage: a few may
 * be damaged.
 */
const filesTried = 20

export function createStorageIdentity(db: Db, storage: MarkedStorage, events: Events): StorageIdentity {
  let verifiedId: string | null = null
  let isMoved = false
  let running: Promise<void> | null = null
  let told: string | null = null
  let latest: { askedAt: number; state: Promise<StorageState> } | null = null
  const claim = async (takesOver: boolean) => {
    try {
      const { id, placeBefore } = await claimStorage(db, storage, takesOver)
      verifiedId = id
      isMoved = false
      if (placeBefore !== null) events.emit({ kind: 'note', message: takenOver(storage, placeBefore) })
    } catch (error) {
      // An unreachable storage reports its own errors; one that now belongs to another database gets no more requests.
      if (error instanceof StorageMismatch) {
        verifiedId = null
        isMoved = error instanceof StorageMoved
      }
      throw error
    }
  }
  const verify = () => {
    // Runs for all requests that need the storage, so it does not count as a write of the one that happens to be first.
    running ??= outsideOfScopes(() => claim(true)).finally(() => {
      running = null
    })
    return running
  }
  const requireNow = () =>
    verify().catch((error) => {
      tell(error)
      throw toFailure(error)
    })
  const require = async () => {
    if (verifiedId === null) await requireNow()
  }
  const tell = (error: unknown) => {
    if (!(error instanceof StorageMismatch) || error.message === told) return
    told = error.message
    events.emit({ kind: 'warning', message: error.message })
  }
  // If each instance has a different storage, they must not replace each other's empty storage in the database at every
  // check.
  const ask = (): Promise<StorageState> =>
    outsideOfScopes(() => claim(false)).then(
      () => 'ok',
      (error) => {
        tell(error)
        if (error instanceof StorageMoved) return 'moved'
        return error instanceof StorageMismatch ? 'mismatch' : 'unavailable'
      },
    )
  return {
    place: storage.place,
    verify,
    require,
    requireAgain: () => {
      verifiedId = null
      return require()
    },
    requireReadable: async () => {
      if (verifiedId !== null || isMoved) return
      await requireNow().catch((error) => {
        if (!isMoved) throw error
      })
    },
    confirm: async () => {
      // A comparison that is already running may have queried the database before the files were moved.
      await running?.catch(() => {})
      await requireNow()
    },
    id: () => verifiedId,
    state: () => {
      const now = performance.now()
      if (!latest || now - latest.askedAt > maxStateMs) latest = { askedAt: now, state: ask() }
      return latest.state
    },
  }
}

const toFailure = (error: unknown): unknown => {
  if (error instanceof StorageMoved)
    return unavailable(translatable('The files were moved to another storage, which this instance does not use yet.'), 10)
  return error instanceof StorageMismatch ? unavailable(translatable('The file storage does not belong to this database.'), 60) : error
}

/** Files are never read, written or deleted in a storage that turns out to belong to another database. */
export const identifiedStorage = (storage: Storage, identity: StorageIdentity): Storage => ({
  place: storage.place,
  create: (name) => identity.require().then(() => storage.create(name)),
  read: async (name, wanted) => {
    await identity.requireReadable()
    const found = await storage.read(name, wanted)
    // A missing thumbnail is created.
    if (found === null && isFileId(name)) await identity.confirm()
    return found
  },
  remove: (names) => identity.require().then(() => storage.remove(names)),
  list: storage.list,
  freeBytes: storage.freeBytes,
})

/**
 * At the start: an unreachable storage is logged, and checked again when it is needed.
 * @throws StorageMismatch
 */
export async function checkStorage({ storageIdentity, events }: { storageIdentity: StorageIdentity; events: Events }): Promise<void> {
  const checked = storageIdentity.verify().catch((error) => {
    if (!(error instanceof Failure)) throw error
    const message = `The storage of files, ${storageIdentity.place}, cannot be used: uploads and downloads of attachments are answered with 503. Check the folder’s rights, or S3_BUCKET, S3_ENDPOINT, S3_REGION and the keys; the log says what the storage answered.`
    events.emit({ kind: 'warning', message })
  })
  await withTimeout(checked, maxStartMs, () => {})
}

/**
 * The database's record: the id of its storage, and whether it has files, which could only be in that storage.
 * `movedFrom` is the id of the storage that the files were moved from, `targetId` that of the target of a move in
 * progress.
 */
export type StorageRow = {
  id: string
  place: string
  isClaimed: boolean
  hasFiles: boolean
  movedFrom: string | null
  targetId: string | null
}

/** A command may be newer than the running service and its database. */
const laterColumn = (name: string, alias: string) => `pg_catalog.to_jsonb(s) ${textAt} '${name}' as "${alias}"`

export const readStorageRow = async (query: Query): Promise<StorageRow | undefined> => {
  const text = `select id::text as id, place, claimed_at is not null as "isClaimed", exists (select from rowhouse.files) as "hasFiles",
    ${laterColumn('moved_from', 'movedFrom')}, ${laterColumn('target_id', 'targetId')} from rowhouse.storage s`
  return (await query<StorageRow>(text))[0]
}

/**
 * Whether the storage is the database's; false if the database has none yet, or has an empty one that may be replaced.
 * Changes nothing. @throws StorageMismatch, Failure unavailable
 */
export const isOwnStorage = async (query: Query, storage: MarkedStorage): Promise<boolean> =>
  isOwn(query, storage, await readStorageRow(query))

async function isOwn(query: Query, storage: MarkedStorage, row: StorageRow | undefined): Promise<boolean> {
  const id = await storage.readId()
  if (row?.isClaimed && id === row.id) return true
  if (row && id !== null && id === row.targetId) throw new StorageMismatch(unfinishedMove(storage, row))
  if (row && id !== null && id === row.movedFrom) throw new StorageMoved(moved(storage, row))
  const isOfOther = id !== null && (row === undefined || !isOfSameDatabase(id, row.id))
  if (row?.isClaimed && (row.hasFiles || isOfOther)) {
    const found = id === null ? `it has no ${markerName}` : `its ${markerName} is that of another ${isOfOther ? 'database' : 'storage'}`
    throw mismatch(storage, `${found}. The files of this database were last in ${row.place}`)
  }
  if (isOfOther) throw mismatch(storage, `its ${markerName} is that of another database`)
  if (!(await hasSomeFile(query, storage))) throw mismatch(storage, 'the files of this database are not in it')
  return false
}

/**
 * How many characters all ids of one database share. The rest is random, and new for each storage that replaces an
 * empty one.
 */
const sharedLength = 24

export const isOfSameDatabase = (id: string, other: string): boolean => id.slice(0, sharedLength) === other.slice(0, sharedLength)

export const newIdLike = (id: string): string => id.slice(0, sharedLength) + crypto.randomUUID().slice(sharedLength)

/**
 * `id` is null if the storage could be claimed but was not; `placeBefore` is the location of the empty storage that it
 * replaced.
 */
type StorageClaim = { id: string | null; placeBefore: string | null }

/**
 * The database gets the first id before the storage does, so that the next start completes an interrupted claim. An
 * interrupted claim that was to replace an empty storage leaves an id of the same database, which may be claimed as
 * well.
 * @param takesOver whether it may replace an empty storage
 */
async function claimStorage(db: Db, storage: MarkedStorage, takesOver: boolean): Promise<StorageClaim> {
  const found = await readStorageRow(db.query)
  if (await isOwn(db.query, storage, found)) return { id: found!.id, placeBefore: null }
  if (found?.isClaimed && !takesOver) return { id: null, placeBefore: null }
  await db.query('insert into rowhouse.storage (id, place) values (pg_catalog.gen_random_uuid(), $1::text) on conflict do nothing', [
    storage.place,
  ])
  return db.transaction(async ({ query }) => {
    await query(catalogPath)
    await query(`select pg_advisory_xact_lock(${lockKeys.storageIdentity})`)
    // Uploads hold this row while they put files into cells: later ones see the new id, and earlier ones are seen now.
    await query('select from rowhouse.storage for update')
    const row = (await readStorageRow(query))!
    if (await isOwn(query, storage, row)) return { id: row.id, placeBefore: null }
    const id = row.isClaimed ? newIdLike(row.id) : row.id
    await query('update rowhouse.storage set id = $1::uuid, place = $2::text, claimed_at = now(), moved_from = null, target_id = null', [
      id,
      storage.place,
    ])
    await storage.writeId(id)
    return { id, placeBefore: row.isClaimed ? row.place : null }
  })
}

const takenOver = ({ place }: Storage, before: string) =>
  `The storage of files is ${place} now. The database knows no file, so the storage before, ${before}, is not needed.`

/**
 * Makes the storage this database's. A storage keeps its id, even one of another database; a storage without an id gets
 * a new one, so that the previous storage is rejected. @throws Failure
 */
export async function adoptStorage(db: Db, storage: MarkedStorage): Promise<void> {
  const found = await storage.readId()
  const id = found !== null && isUuid(found) ? found : crypto.randomUUID()
  if (id !== found) await storage.writeId(id)
  const text = `insert into rowhouse.storage (id, place, claimed_at) values ($1::uuid, $2::text, now())
    on conflict (one) do update set id = excluded.id, place = excluded.place, claimed_at = excluded.claimed_at, moved_from = null`
  await db.query(text, [id, storage.place])
}

/** Without an id: a release from before ids existed, or a database without files. */
async function hasSomeFile(query: Query, storage: MarkedStorage): Promise<boolean> {
  const text = 'select id::text as id from rowhouse.files where removed_at is null order by id desc limit $1::int'
  const rows = await query<{ id: string }>(text, [String(filesTried)])
  for (const { id } of rows) {
    const bytes = await storage.read(id)
    await discardBytes(bytes)
    if (bytes !== null) return true
  }
  return rows.length === 0
}

const mismatch = ({ place }: Storage, reason: string) =>
  new StorageMismatch(
    `The storage of files, ${place}, is not that of this database: ${reason}. Instances on one database need one storage: the same folder, shared and mounted at this path or named by ROWHOUSE_DATA_DIR, or the same S3 bucket (S3_BUCKET). If the files were moved or restored to this place, run "rowhouse files adopt" with the settings of the service.`,
  )

const unfinishedMove = ({ place }: Storage, { place: current }: StorageRow) =>
  `The files of this database are being moved to ${place}, and the move is not finished: they are still in ${current}. Run "rowhouse files move" with --switch to finish it, and start the service with ${place} then.`

const moved = ({ place }: Storage, { place: current }: StorageRow) =>
  `The files of this database were moved from ${place} to ${current}: start this instance with the settings of ${current} (S3_BUCKET and S3_PREFIX, or without them). Until then it reads the files that are still in ${place}, and takes no uploads.`
