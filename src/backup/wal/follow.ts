import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import type { Config } from '../../ops/settings/config'
import type { BackupManifest } from '../archive/manifest'
import { clusterFolder } from '../archive/names'
import { isUrl } from '../bucket'
import { BackupError, DamagedBackup } from '../errors'
import { readStored, type Stored } from '../store'
import { decryptIdentity, keyName, unpackSegment } from './sealed'
import { isSegmentName, nextSegment, readObjectName, segmentNumber, segmentNumberOfLsn } from './segment'
import { type ArchiveStores, openArchiveStores } from './stores'

/**
 * The transaction of a request. A recovery restores every transaction that committed before it, but not the transaction
 * itself.
 */
export type BeforeTransaction = { requestId: string; xid: string }

/** `latest`: to the end of the archive. */
export type RecoveryTarget = Date | 'latest' | BeforeTransaction

/** `isTwice`: the archive contains another object for the same segment, with different bytes. */
type ArchivedObject = { name: string; archivedAt: Date; isTwice: boolean }

/** The archive of the log after a backup. `identity` is null if it is not encrypted. */
export type FollowedArchive = {
  place: string
  stores: ArchiveStores
  identity: string | null
  /** The names of objects by segment, and when each was archived. */
  objects: Map<string, ArchivedObject>
}

/** The result of a recovery. `lastChangeAt` is null if there was no change after the backup. */
export type Followed = { lastChangeAt: Date | null; isTargetReached: boolean }

/** PostgreSQL replayed the whole log, and every change was before the requested time. */
export class TargetNotReached extends BackupError {}

/**
 * Opens the archive of a backup.
 * @throws BackupError if the backup has no archive, the archive is missing, or the passphrase is wrong
 */
export async function openArchiveOf(
  { walArchive: id }: BackupManifest,
  { place, passphrase, config }: { place: string; passphrase: string | undefined; config: Config },
): Promise<FollowedArchive> {
  if (!id)
    throw new BackupError(
      'This backup was made without an archive of the log (ROWHOUSE_WAL_ARCHIVE), so it can be restored only as it is, without --to.',
    )
  const stores = openArchiveStores(place, id, config)
  const missing = new BackupError(`${place} has no archive of the log for this backup: there is no ${id} in it.`)
  const found = await stores.segments.list().catch((error) => {
    throw (error as { code?: string }).code === 'ENOENT' ? missing : error
  })
  const root = await stores.root.list()
  if (found.size === 0 && root.size === 0 && !(await hasFolder(stores))) throw missing
  const objects = archivedObjects(found)
  const isEncrypted = root.has(keyName) || [...found.keys()].some((name) => readObjectName(name)?.isEncrypted)
  const identity = isEncrypted ? await decryptIdentity(readStored(stores.root, keyName), passphrase) : null
  return { place, stores, identity, objects }
}

const hasFolder = async ({ segments, files }: ArchiveStores) =>
  isUrl(segments.place) ? (await files.list()).size > 0 : existsSync(segments.place)

/** The segments of an archive, by name. */
export function archivedObjects(stored: ReadonlyMap<string, Stored>): FollowedArchive['objects'] {
  const objects: FollowedArchive['objects'] = new Map()
  for (const [name, { changedAt }] of stored) {
    const segment = readObjectName(name)?.segment
    if (segment) objects.set(segment, { name, archivedAt: changedAt, isTwice: objects.has(segment) })
  }
  return objects
}

/** `isBroken`: a part of the log is missing although later parts exist. */
export type WholeLog = { until: Date | null; isBroken: boolean }

/**
 * How far the log is complete, starting at a segment. `until` is when the last segment before the first gap was
 * archived.
 */
export function wholeLog(objects: FollowedArchive['objects'], first: string): WholeLog {
  let segment = first
  let until: Date | null = null
  for (let object = objects.get(segment); object && !object.isTwice; object = objects.get(segment)) {
    until = object.archivedAt
    segment = nextSegment(segment)
  }
  return { until, isBroken: [...objects.keys()].some((name) => segmentNumber(name) >= segmentNumber(segment)) }
}

/**
 * Settings of a recovery that follows an archive (PostgreSQL's manual, 26.2.1 and 19.5.6). A standby with neither a
 * primary nor a restore command polls `pg_wal`, where the segments are put. The first four must not be lower than in
 * the original, so they are set high.
 */
const followSettings = (target: RecoveryTarget): string[] => [
  ...['max_connections = 1000', 'max_worker_processes = 64', 'max_wal_senders = 50', 'max_locks_per_transaction = 256'],
  ...['shared_buffers = 128MB', 'hot_standby = on', 'wal_recycle = off', 'wal_retrieve_retry_interval = 20ms'],
  "recovery_target_timeline = 'current'",
  "recovery_target_action = 'promote'",
  ...targetSettings(target),
]

function targetSettings(target: RecoveryTarget): string[] {
  if (target === 'latest') return []
  if (target instanceof Date) return [`recovery_target_time = '${target.toISOString().replace('Z', '+00')}'`]
  // PostgreSQL's log contains only the lower 32 bits of the id.
  return [`recovery_target_xid = '${BigInt.asUintN(32, BigInt(target.xid))}'`, 'recovery_target_inclusive = off']
}

/** PostgreSQL's message for a setting that is lower than in the original. */
const lowerSetting = /(max_\w+) = \d+ is a lower setting than on the primary server, where its value was (\d+)/

/** The setting that was too low for a recovery, with the value of the original; null for another error. */
export function missingSetting(error: unknown): string | null {
  const [, name, value] = lowerSetting.exec(error instanceof Error ? error.message : '') ?? []
  return name === undefined ? null : `${name} = ${value}`
}

/** Makes the unpacked cluster a standby. @returns its settings */
export function prepareFollowing(folder: string, target: RecoveryTarget): string[] {
  writeFileSync(join(folder, clusterFolder, 'standby.signal'), '', { mode: 0o600 })
  return followSettings(target)
}

/** The maximum number of segments on the disk that PostgreSQL has not replayed yet: 512 MB. */
const mostAhead = 32

export type FollowOptions = {
  archive: FollowedArchive
  /** The folder with the unpacked backup. */
  folder: string
  target: RecoveryTarget
  signal: AbortSignal
  onBytes: (count: number) => void
}

/**
 * Provides a standby with one segment after the other until it reaches its target or the archive ends, then promotes
 * it.
 * @throws BackupError if a segment before the target is missing, DamagedBackup if one is damaged, TargetNotReached;
 * PostgreSQL has then ended
 */
export async function followArchive(sql: Sql, { archive, folder, target, signal, onBytes }: FollowOptions): Promise<Followed> {
  const walDir = join(folder, clusterFolder, 'pg_wal')
  const { objects, stores, identity } = archive
  /** Why the log ends early. This does not matter once the target is reached. */
  let fault: Error | null = null
  for (let segment = firstMissing(walDir); fault === null; segment = nextSegment(segment)) {
    signal.throwIfAborted()
    const object = objects.get(segment)
    if (!object) {
      fault = gapAt(archive, segment)
      break
    }
    if (object.isTwice) {
      fault = new DamagedBackup(`The archive has two segments ${segment} that differ, and only one can be the right one.`)
      break
    }
    if (!(await waitForRoom(sql, segmentNumber(segment), signal))) break
    const archived = readObjectName(object.name)!
    const stored = readStored(stores.segments, object.name)
    const bytes = await unpackSegment(stored, archived, archived.isEncrypted ? identity : null).catch((error) => {
      if (!(error instanceof DamagedBackup)) throw error
      fault = error
      return null
    })
    if (!bytes) break
    const unfinished = join(folder, 'segment')
    writeFileSync(unfinished, bytes, { mode: 0o600 })
    renameSync(unfinished, join(walDir, segment))
    onBytes(bytes.byteLength)
  }
  if (fault !== null && target === 'latest') throw await withWholePart(sql, fault, signal)
  await promote(sql, signal).catch((error) => {
    // PostgreSQL ends if it is promoted before it has reached its target.
    throw signal.aborted || target === 'latest'
      ? error
      : (fault ?? new TargetNotReached('The archive of the log ends before the requested time.'))
  })
  return { lastChangeAt: await lastChange(sql), isTargetReached: target !== 'latest' }
}

/** The first segment after those that the backup contains. */
function firstMissing(walDir: string): string {
  const last = readdirSync(walDir).filter(isSegmentName).sort().at(-1)
  if (last === undefined) throw new DamagedBackup('The backup does not have the log that its recovery needs.')
  return nextSegment(last)
}

/** Adds the time until which the log is complete to the error. */
async function withWholePart(sql: Sql, fault: Error, signal: AbortSignal): Promise<Error> {
  await promote(sql, signal)
  const at = await lastChange(sql)
  // PostgreSQL has reached a target time only when it finds a later change.
  const until = at && new Date(at.getTime() - 1).toISOString()
  const message =
    fault.message + (until ? ` It is complete until then: --to=${until}` : ' There is nothing between the backup and the gap.')
  return fault instanceof DamagedBackup ? new DamagedBackup(message) : new BackupError(message)
}

async function lastChange(sql: Sql): Promise<Date | null> {
  const [row] = await sql<{ at: Date | null }[]>`select pg_last_xact_replay_timestamp() as at`
  return row!.at && new Date(row!.at)
}

/** Reports a gap, because a recovery would omit the changes after it. @returns null if no segment follows */
function gapAt({ objects }: FollowedArchive, segment: string): BackupError | null {
  const later = [...objects.keys()].filter((name) => segmentNumber(name) > segmentNumber(segment))
  if (later.length === 0) return null
  return new BackupError(`The archive of the log lacks ${segment}, and has ${later.length} after it.`)
}

const isPromoted = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql<{ following: boolean }[]>`select pg_is_in_recovery() as following`
  return !row!.following
}

/** @returns whether the recovery continues */
async function waitForRoom(sql: Sql, number: number, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    signal.throwIfAborted()
    const [row] = await sql<{ following: boolean; at: string | null; state: string | null }[]>`
      select pg_is_in_recovery() as following, pg_last_wal_replay_lsn()::text as at,
        case when pg_is_in_recovery() then pg_get_wal_replay_pause_state() end as state`
    const { following, at, state } = row!
    if (!following) return false
    if (state === 'paused')
      throw new BackupError(
        'The recovery stopped: PostgreSQL had more connections or locks in custom.conf than a recovery has here (1000 connections, 64 worker processes, 50 senders, 256 locks per transaction).',
      )
    if (at === null || number - segmentNumberOfLsn(at) <= mostAhead) return true
    await Bun.sleep(20)
  }
}

/** PostgreSQL replays `pg_wal` first, to its end or to the target. */
async function promote(sql: Sql, signal: AbortSignal) {
  // This fails if the recovery has just reached its target.
  if (!(await isPromoted(sql))) await sql`select pg_promote(false)`.catch(() => {})
  while (!(await isPromoted(sql))) {
    signal.throwIfAborted()
    await Bun.sleep(20)
  }
}
