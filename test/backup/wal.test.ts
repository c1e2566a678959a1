import { describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { leastId } from '../../src/backup/wal/new-files'
import { removeOldLog } from '../../src/backup/wal/removal'
import { newIdentity, packSegment, unpackSegment } from '../../src/backup/wal/sealed'
import { nextSegment, objectNameOf, readObjectName, segmentNumber, segmentNumberOfLsn } from '../../src/backup/wal/segment'
import { newArchive, readArchive, settleArchive } from '../../src/db/embedded/wal-archive'
import { readConfig } from '../../src/ops/settings/config'
import '../support/properties'
import { newFolder } from '../support/executable'

const config = readConfig({})
async function* one(bytes: Uint8Array) {
  yield bytes
}

describe('segments', () => {
  test('follow one another as PostgreSQL names them', () => {
    expect(nextSegment('000000010000000000000001')).toBe('000000010000000000000002')
    expect(nextSegment('0000000100000000000000FF')).toBe('000000010000000100000000')
    expect(nextSegment('0000000A000000FF000000FF')).toBe('0000000A0000010000000000')
    expect(segmentNumberOfLsn('1/2000060')).toBe(segmentNumber('000000010000000100000002'))
  })

  test('are named with their hash', () => {
    const one = { segment: '000000010000000000000001', sha256: 'ab'.repeat(32), isEncrypted: true }
    expect(readObjectName(objectNameOf(one))).toEqual(one)
    for (const name of ['000000010000000000000001', '00000001000000000000000g', `.${objectNameOf(one)}.part`, 'identity.age'])
      expect(readObjectName(name)).toBeNull()
  })

  test('are what was packed, or refused: each changed, missing or added byte', async () => {
    const identity = await newIdentity()
    const bytes = crypto.getRandomValues(new Uint8Array(4096))
    const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
    const gather = async (key: string | null) => Buffer.concat(await Array.fromAsync(await packSegment(bytes, key)))
    for (const key of [null, identity]) {
      const packed = await gather(key)
      const unpack = (stored: Uint8Array) => unpackSegment(one(stored), { segment: '0'.repeat(24), sha256, isEncrypted: key !== null }, key)
      expect(Buffer.from(await unpack(packed)).equals(bytes)).toBe(true)
      await fc.assert(
        fc.asyncProperty(
          fc.nat(packed.length - 1),
          fc.integer({ min: 1, max: 255 }),
          fc.constantFrom('change', 'cut'),
          async (at, bits, kind) => {
            const altered = kind === 'cut' ? packed.subarray(0, at) : Buffer.from(packed)
            if (kind === 'change') altered[at] = altered[at]! ^ bits
            // A byte that zstd does not read changes nothing.
            const became = await unpack(altered).then(
              (found) => (found.equals(bytes) ? 'the same' : 'another one'),
              (error: Error) => error.constructor.name,
            )
            expect(['the same', 'DamagedBackup', 'BackupError']).toContain(became)
          },
        ),
      )
    }
  })
})

describe('the archive of a data directory', () => {
  test('stays what it is until the settings ask for another one', () => {
    const dataDir = newFolder()
    const settled = (place: string, identity: string | null) => {
      settleArchive(dataDir, { place, identity })
      return readArchive(dataDir)!
    }
    const first = settled('/a', null)
    expect(settled('/a', null)).toEqual(first)
    const encrypted = settled('/a', 'AGE-SECRET-KEY-1')
    expect(encrypted).toMatchObject({ earlier: [first.id], isBegun: false })
    expect(settled('/a', 'AGE-SECRET-KEY-2')).toEqual(encrypted)
    expect(settled('/b', 'AGE-SECRET-KEY-3')).toMatchObject({ earlier: [], place: '/b' })
    const last = settled('/b/', 'AGE-SECRET-KEY-3')
    expect(settleArchive(dataDir, null)).toContain('no longer archived')
    expect(readArchive(dataDir)).toBeNull()
    // Without a word where there was none before.
    expect(settleArchive(dataDir, null)).toBeNull()
    expect(settled('/b', 'AGE-SECRET-KEY-4')).toMatchObject({ earlier: [last.id], isOff: false })
    writeFileSync(join(dataDir, 'wal/archive.json'), '{"id": "x')
    expect(settleArchive(dataDir, { place: '/b', identity: null })).toContain('was damaged')
    // A copy of the folder is another installation.
    const copy = newFolder()
    cpSync(dataDir, copy, { recursive: true })
    settleArchive(copy, { place: '/b', identity: null })
    expect(readArchive(copy)!.id).not.toBe(readArchive(dataDir)!.id)
    rmSync(copy, { recursive: true })
    rmSync(dataDir, { recursive: true })
  })

  test('loses what is older than every backup, but for its newest segment', async () => {
    const place = newFolder()
    const earlier = ['one', 'two']
    const archive = { ...newArchive({ place, identity: null }, null, 0), earlier }
    const put = (id: string, part: string, name: string, at: string) => {
      mkdirSync(join(place, id, part), { recursive: true })
      writeFileSync(join(place, id, part, name), 'x')
      utimesSync(join(place, id, part, name), new Date(at), new Date(at))
    }
    const segment = (number: number) =>
      objectNameOf({ segment: `00000001000000000000000${number}`, sha256: 'a'.repeat(64), isEncrypted: false })
    put('one', 'wal', segment(1), '2026-01-01T00:00:00Z')
    put('one', 'files', crypto.randomUUID(), '2026-01-01T00:00:00Z')
    put('two', 'wal', segment(2), '2026-01-01T00:00:00Z')
    put('two', 'wal', segment(3), '2026-03-01T00:00:00Z')
    put(archive.id, 'wal', segment(4), '2026-01-01T00:00:00Z')
    put(archive.id, 'wal', segment(5), '2026-01-02T00:00:00Z')
    mkdirSync(join(place, archive.id, 'files'))
    put('foreign', 'wal', segment(6), '2026-01-01T00:00:00Z')
    expect(await removeOldLog(archive, new Date('2026-02-01T00:00:00Z'), config)).toEqual(['two'])
    expect(existsSync(join(place, 'one'))).toBe(false)
    expect(readdirSync(join(place, 'two', 'wal'))).toEqual([segment(3)])
    expect(readdirSync(join(place, archive.id, 'wal'))).toEqual([segment(5)])
    expect(readdirSync(join(place, 'foreign', 'wal'))).toEqual([segment(6)])
    rmSync(place, { recursive: true })
  })

  test('loses no segment from its middle because the clock was wrong for a moment', async () => {
    const place = newFolder()
    const archive = newArchive({ place, identity: null }, null, 0)
    for (const part of ['wal', 'files']) mkdirSync(join(place, archive.id, part), { recursive: true })
    const year = (number: number) => Date.UTC(number, 0, 1)
    // The first one was ahead: it stays itself, and keeps none after it.
    const times = [Date.now() + 366 * 24 * 60 * 60 * 1000, year(2010), year(2021), 0, year(2022)]
    const names = times.map((at, index) => {
      const name = objectNameOf({ segment: `00000001000000000000000${index + 1}`, sha256: 'a'.repeat(64), isEncrypted: false })
      const path = join(place, archive.id, 'wal', name)
      writeFileSync(path, 'x')
      utimesSync(path, new Date(at), new Date(at))
      return name
    })
    expect(await removeOldLog(archive, new Date(year(2020)), config)).toEqual([])
    expect(readdirSync(join(place, archive.id, 'wal')).sort()).toEqual(names.filter((_, index) => index !== 1))
    rmSync(place, { recursive: true })
  })
})

test('the least id of a time is before every id of it', () => {
  const at = new Date('2026-11-23T10:15:00.123Z')
  const ids = [Bun.randomUUIDv7('hex', at), Bun.randomUUIDv7('hex', at.getTime() + 1)]
  expect(ids.every((id) => id > leastId(at))).toBe(true)
  expect(Bun.randomUUIDv7('hex', at.getTime() - 1) < leastId(at)).toBe(true)
})
