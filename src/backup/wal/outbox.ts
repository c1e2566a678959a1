import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { outboxIn } from '../../db/embedded/wal-archive'
import type { BackupStore } from '../store'
import { packSegment, sha256Of } from './sealed'
import { isSegmentName, nextSegment, objectNameOf, readObjectName } from './segment'

/** The segments that an archive has, and the last of them and when it came; null for an empty archive. */
export type KnownSegments = { hashes: Map<string, string>; last: string | null; archivedAt: Date | null }

/** What PostgreSQL has put aside and is not in the archive yet, in its order. */
export function waitingSegments(dataDir: string): { names: string[]; since: Date | null } {
  const folder = outboxIn(dataDir)
  if (!existsSync(folder)) return { names: [], since: null }
  const names = readdirSync(folder).filter(isSegmentName).sort()
  const since = names.flatMap((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? [])
  return { names, since: since.length > 0 ? new Date(Math.min(...since)) : null }
}

/** Gives up what waits. */
export function emptyOutbox(dataDir: string): void {
  for (const name of waitingSegments(dataDir).names) rmSync(join(outboxIn(dataDir), name), { force: true })
}

/**
 * Removes what no recovery along one timeline asks for: labels of backups, histories of timelines; and what a copying
 * that was interrupted has left.
 */
export function tidyOutbox(dataDir: string): void {
  const folder = outboxIn(dataDir)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    // `archtemp.` is what basic_archive copies to; one that is old has nobody who writes to it.
    const isDone = !isSegmentName(name) && (!name.startsWith('archtemp.') || isOld(join(folder, name)))
    if (isDone) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

const oldMs = 60 * 60_000

const isOld = (path: string) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > oldMs

/** @throws what the store says */
export async function listSegments(segments: BackupStore): Promise<KnownSegments> {
  const known: KnownSegments = { hashes: new Map(), last: null, archivedAt: null }
  for (const [name, { changedAt }] of await segments.list()) {
    const found = readObjectName(name)
    if (!found) continue
    known.hashes.set(found.segment, found.sha256)
    if (known.last !== null && found.segment < known.last) continue
    known.last = found.segment
    known.archivedAt = changedAt
  }
  return known
}

type ShipOptions = { dataDir: string; known: KnownSegments; segments: BackupStore; identity: string | null; signal: AbortSignal }

/**
 * Puts one segment into the archive and removes it from the outbox.
 * @returns false where it does not belong there: it does not follow the last one, or another one of its name is there
 * @throws what the store or the disk says
 */
export async function shipSegment(segment: string, { dataDir, known, segments, identity, signal }: ShipOptions): Promise<boolean> {
  const path = join(outboxIn(dataDir), segment)
  const bytes = await Bun.file(path).bytes()
  const sha256 = sha256Of(bytes)
  const archived = known.hashes.get(segment)
  if (archived !== undefined && archived !== sha256) return false
  if (archived === undefined) {
    if (known.last !== null && segment !== nextSegment(known.last)) return false
    const name = objectNameOf({ segment, sha256, isEncrypted: identity !== null })
    await segments.write(name, await packSegment(bytes, identity), signal)
    known.hashes.set(segment, sha256)
    known.last = segment
    known.archivedAt = new Date()
  }
  rmSync(path, { force: true })
  return true
}
