import { join } from 'node:path'
import { beginMove, inspectMove } from '../../src/attachments/move/begin'
import { copyAll } from '../../src/attachments/move/copy'
import type { FileMove } from '../../src/attachments/move/file-move'
import { switchStorage } from '../../src/attachments/move/switch'
import { createStorageIdentity, identifiedStorage } from '../../src/attachments/storage/identity'
import { openStorageAt } from '../../src/attachments/storage/open'
import type { MarkedStorage } from '../../src/attachments/storage/storage'
import { createEvents } from '../../src/ops/log/events'
import type { Files } from './attachments'
import { newFolder } from './executable'

export const newStorageFolder = (): string => join(newFolder(), 'files')

/** A storage in a folder, and the state that an instance derives from it. */
export function storageIn(files: Files, place: string) {
  const events = createEvents()
  const storage = openStorageAt(place, files.deps.config, events)
  const identity = createStorageIdentity(files.deps.db, storage, events)
  return { storage, identity, files: identifiedStorage(storage, identity) }
}

export type TestMove = FileMove & {
  findings: string[]
  /** Works like the command, up to the switch. @returns the ids of both storages */
  copy: () => Promise<{ source: string; target: string }>
  /** Works like the command. */
  switch: () => Promise<string>
}

/** A move of this app's files to a location, by default from that of its settings. */
export function moveTo(files: Files, target: MarkedStorage, more: Partial<FileMove> = {}): TestMove {
  const { db, config } = files.deps
  const findings: string[] = []
  const source = openStorageAt(join(config.dataDir, 'files'), config, createEvents())
  const move: FileMove = {
    ...{ db, source, target, minFreeBytes: 0, bytesUnderWay: { count: 0 }, skipsDamaged: false },
    // A slow machine must not admit uploads in between.
    maxLockMs: 120_000,
    ...{ brought: { files: 0, bytes: 0 }, progress: { begin: () => {}, add: () => {} } },
    onFinding: ({ kind, name }) => findings.push(`${kind} ${name}`),
    signal: new AbortController().signal,
    ...more,
  }
  const copy = async () => {
    const state = await inspectMove(move)
    if (state.stage === 'switched') throw new Error('It is the storage already.')
    const identity = createStorageIdentity(db, move.source, createEvents())
    await identity.verify()
    const id = await beginMove(move)
    await copyAll(move, state.looksForAll)
    return { source: identity.id()!, target: id }
  }
  return { ...move, findings, copy, switch: async () => switchStorage(move, await copy()) }
}
