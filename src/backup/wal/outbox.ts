import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { outboxIn } from '../../db/embedded/wal-archive'
import type { BackupStore } from '../store'
import { packSegment, sha256Of } from './sealed'
import { isSegmentName, nextSegment, objectNameOf, readObjectName } from './segment'

/** The last segment of an archive, and when it was archived; both are null for an empty archive. */
export type KnownSegments = { last: string | null; archivedAt: Date | null }

/** The segments in the outbox that are not yet in the archive, in order. */
export function waitingSegments(dataDir: string): { names: string[]; since: Date | null } {
  const folder = outboxIn(dataDir)
  if (!existsSync(folder)) return { names: [], since: null }
  const names = readdirSync(folder).filter(isSegmentName).sort()
  const since = names.flatMap((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? [])
  return { names, since: since.length > 0 ? new Date(Math.min(...since)) : null }
}

/** Deletes the segments in the outbox. */
export function emptyOutbox(dataDir: string): void {
  for (const name of waitingSegments(dataDir).names) rmSync(join(outboxIn(dataDir), name), { force: true })
}

/**
 * Removes the files that a recovery along a single timeline does not need (backup labels and timeline histories) and
 * the remains of interrupted copies.
 */
export function tidyOutbox(dataDir: string): void {
  const folder = outboxIn(dataDir)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    // basic_archive copies to `archtemp.…`; an old one was left by an interrupted copy.
    const isDone = !isSegmentName(name) && (!name.startsWith('archtemp.') || isOld(join(folder, name)))
    if (isDone) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

const oldMs = 60 * 60_000

const isOld = (path: string) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > oldMs

/** @throws errors of the store */
export async function findLastSegment(segments: BackupStore): Promise<KnownSegments> {
  const known: KnownSegments = { last: null, archivedAt: null }
  for (const [name, { changedAt }] of await segments.list()) {
    const found = readObjectName(name)
    if (!found) continue
    if (known.last !== null && found.segment < known.last) continue
    known.last = found.segment
    known.archivedAt = changedAt
  }
  return known
}

type ShipOptions = { dataDir: string; known: KnownSegments; segments: BackupStore; identity: string | null; signal: AbortSignal }

/**
 * Puts one segment into the archive and removes it from the outbox.
 * @returns why it was not archived: it does not follow the last segment (`gap`), or the archive contains a different
 * one of the same name (`foreign`); null if it was
 * @throws errors of the store or the disk
 */
export async function shipSegment(segment: string, options: ShipOptions): Promise<'gap' | 'foreign' | null> {
  const { dataDir, known, segments, identity, signal } = options
  const path = join(outboxIn(dataDir), segment)
  const bytes = await Bun.file(path).bytes()
  const sha256 = sha256Of(bytes)
  // Lists the archive again: a service on a copy of the data directory uses the same archive and may have added a
  // segment.
  const isAlone = async () => {
    const others = [...(await segments.list(`${segment}.`)).keys()].flatMap((name) => readObjectName(name) ?? [])
    return { isThere: others.length > 0, isSame: others.every((other) => other.sha256 === sha256) }
  }
  const before = await isAlone()
  if (!before.isSame) return 'foreign'
  if (!before.isThere) {
    if (known.last !== null && segment !== nextSegment(known.last)) return 'gap'
    const name = objectNameOf({ segment, sha256, isEncrypted: identity !== null })
    await segments.write(name, await packSegment(bytes, identity), signal)
    if (!(await isAlone()).isSame) return 'foreign'
  }
  if (known.last === null || segment > known.last) known.last = segment
  known.archivedAt = new Date()
  rmSync(path, { force: true })
  return null
}
