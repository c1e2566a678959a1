import { lockKeys } from '../../db/lock-keys'
import type { Db, Query } from '../../db/open'
import { outsideOfScopes } from '../../db/scope'
import { catalogPath, textAt } from '../../db/search-path'
import type { Deps } from '../../deps'
import { Failure, unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import type { Events } from '../../ops/events'
import { isUuid } from '../../tables/column-types/uuid'
import { withTimeout } from '../../timeout'
import { isFileId, type MarkedStorage, markerName, type Storage } from './storage'

/** The storage is not that of the database; the message says so and what to do. */
export class StorageMismatch extends Error {}

/**
 * The files of this database were moved from this storage to another one. What was in it then may still be read from
 * it.
 */
class StorageMoved extends StorageMismatch {}

type StorageState = 'ok' | 'unavailable' | 'mismatch' | 'moved'

export type StorageIdentity = {
  place: string
  /**
   * Asks database and storage. Claims the storage for a database that has none yet.
   * @throws StorageMismatch, Failure unavailable
   */
  verify: () => Promise<void>
  /** As `verify`, unless that succeeded before. @throws Failure unavailable, also where the storage is another one */
  require: () => Promise<void>
  /** As `require`, after a write that found another `id` in the database. @throws as `require` */
  requireAgain: () => Promise<void>
  /** As `require`, but for a storage that the files were moved from, too. @throws as `require` */
  requireReadable: () => Promise<void>
  /**
   * As `require`, asked now, after a read that found no bytes: they may be where the files were moved to. @throws as
   * `require`
   */
  confirm: () => Promise<void>
  /** That storage and database had in common when they were compared last; null where they were not, or had none. */
  id: () => string | null
  /** What `verify` says, at most some seconds old. Never throws. */
  state: () => Promise<StorageState>
}

/** /readyz is open to all, and a question to S3 costs money. */
const maxStateMs = 5000

/** S3 may take its time, and all else works without it. */
const maxStartMs = 5000

/** How many files are looked for in a storage without an id before it counts as another one: a few may be damaged. */
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
      // A storage that is away answers for itself; one that is another by now gets nothing any more.
      if (error instanceof StorageMismatch) {
        verifiedId = null
        isMoved = error instanceof StorageMoved
      }
      throw error
    }
  }
  const verify = () => {
    // For all who need the storage, and no write of the request that happens to be first.
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
  // Instances that each have a storage of their own must not take the database's empty one from each other at every
  // question.
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
      // One that is under way may have asked the database before the files were moved.
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
  return error instanceof StorageMismatch ? unavailable(translatable('The storage of files is not that of this database.'), 60) : error
}

/** Files are neither read, written nor deleted in a storage of another database, whenever it turns out to be one. */
export const identifiedStorage = (storage: Storage, identity: StorageIdentity): Storage => ({
  place: storage.place,
  create: (name) => identity.require().then(() => storage.create(name)),
  read: async (name, wanted) => {
    await identity.requireReadable()
    const found = await storage.read(name, wanted)
    // A smaller picture that is not there is made.
    if (found === null && isFileId(name)) await identity.confirm()
    return found
  },
  remove: (names) => identity.require().then(() => storage.remove(names)),
  list: storage.list,
  freeBytes: storage.freeBytes,
})

/**
 * At the start: a storage that is away is told in the log and asked again when it is needed.
 * @throws StorageMismatch
 */
export async function checkStorage({ storageIdentity, events }: Pick<Deps, 'storageIdentity' | 'events'>): Promise<void> {
  const checked = storageIdentity.verify().catch((error) => {
    if (!(error instanceof Failure)) throw error
    const message = `The storage of files, ${storageIdentity.place}, cannot be used: uploads and downloads of attachments are answered with 503. Check the folder’s rights, or S3_BUCKET, S3_ENDPOINT, S3_REGION and the keys; the log says what the storage answered.`
    events.emit({ kind: 'warning', message })
  })
  await withTimeout(checked, maxStartMs, () => {})
}

/**
 * What the database knows: the id of its storage, and whether it has files that could be in no other one. `movedFrom`
 * is the id of the storage that was moved, `targetId` that of the one that a move under way is for.
 */
export type StorageRow = {
  id: string
  place: string
  isClaimed: boolean
  hasFiles: boolean
  movedFrom: string | null
  targetId: string | null
}

/** A command may be newer than the service that it runs beside, and than its database. */
const laterColumn = (name: string, alias: string) => `pg_catalog.to_jsonb(s) ${textAt} '${name}' as "${alias}"`

export const readStorageRow = async (query: Query): Promise<StorageRow | undefined> => {
  const text = `select id::text as id, place, claimed_at is not null as "isClaimed", exists (select from rowhouse.files) as "hasFiles",
    ${laterColumn('moved_from', 'movedFrom')}, ${laterColumn('target_id', 'targetId')} from rowhouse.storage s`
  return (await query<StorageRow>(text))[0]
}

/**
 * Whether the storage is that of the database; false where the database has none yet, or one that no file is in, so
 * that another may take its place. Changes nothing. @throws StorageMismatch, Failure unavailable
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
 * How many characters all ids of one database share. The rest are random, and new for each storage that takes the place
 * of an empty one.
 */
const sharedLength = 24

export const isOfSameDatabase = (id: string, other: string): boolean => id.slice(0, sharedLength) === other.slice(0, sharedLength)

export const newIdLike = (id: string): string => id.slice(0, sharedLength) + crypto.randomUUID().slice(sharedLength)

/**
 * `id` is null where the storage could be claimed and was not; `placeBefore` is that of an empty storage whose place it
 * took.
 */
type StorageClaim = { id: string | null; placeBefore: string | null }

/**
 * The first id is in the database first, so that a claim that was broken off is taken up by the next start. One that
 * was broken off while it took the place of an empty storage leaves an id of the same database, which may be claimed as
 * well.
 * @param takesOver whether it may take the place of an empty storage
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
    // Whoever puts files into cells holds this row: what comes later finds the new id, and what came before is found
    // now.
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
 * The storage is that of this database from now on. One that has an id keeps it, also another database's; else it gets
 * a new one, so that the storage before is refused. @throws Failure
 */
export async function adoptStorage(db: Db, storage: MarkedStorage): Promise<void> {
  const found = await storage.readId()
  const id = found !== null && isUuid(found) ? found : crypto.randomUUID()
  if (id !== found) await storage.writeId(id)
  const text = `insert into rowhouse.storage (id, place, claimed_at) values ($1::uuid, $2::text, now())
    on conflict (one) do update set id = excluded.id, place = excluded.place, claimed_at = excluded.claimed_at, moved_from = null`
  await db.query(text, [id, storage.place])
}

/** Of a release before there were ids, or of a database without files. */
async function hasSomeFile(query: Query, storage: MarkedStorage): Promise<boolean> {
  const text = 'select id::text as id from rowhouse.files where removed_at is null order by id desc limit $1::int'
  const rows = await query<{ id: string }>(text, [String(filesTried)])
  for (const { id } of rows) {
    const bytes = await storage.read(id)
    if (bytes instanceof ReadableStream) await bytes.cancel()
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
