import { expect, test } from 'bun:test'
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { archivingSettings, endArchive, outboxIn, readArchive, settleArchive } from '../../src/db/embedded/wal-archive'
import { newFolder } from '../support/executable'

test('an archive ends with its database: what waits is given up, nothing new is put aside, and the next start begins another', () => {
  const dataDir = newFolder()
  expect(endArchive(dataDir)).toBe(0)
  const wanted = { place: '/backups/wal', identity: null }
  settleArchive(dataDir, wanted)
  const before = readArchive(dataDir)!
  writeFileSync(join(outboxIn(dataDir), '000000010000000000000047'), '')
  expect(endArchive(dataDir)).toBe(1)
  expect([endArchive(dataDir), existsSync(outboxIn(dataDir)), readArchive(dataDir), archivingSettings(dataDir)]).toEqual([
    0,
    false,
    null,
    [],
  ])
  expect(settleArchive(dataDir, wanted)).toBeNull()
  const after = readArchive(dataDir)!
  expect([after.id === before.id, after.earlier, after.last]).toEqual([false, [before.id], null])
})

test('a copy of a data directory does not take over the archive of the original', () => {
  const [original, copy] = [newFolder(), join(newFolder(), 'copy')]
  const wanted = { place: '/backups/wal', identity: null }
  settleArchive(original, wanted)
  cpSync(original, copy, { recursive: true })
  settleArchive(copy, wanted)
  const [own, other] = [readArchive(original)!, readArchive(copy)!]
  expect([other.id === own.id, other.earlier]).toEqual([false, []])
})
