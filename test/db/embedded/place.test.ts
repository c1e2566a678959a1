import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chooseDataDir, DataDirError, toDataDirPlace } from '../../../src/db/embedded/place'
import { readConfig } from '../../../src/ops/settings/config'

/** Somebody whom no folder of ours belongs to, as PostgreSQL's user is when root starts the service. */
const owner = { name: 'somebody', uid: 54321, gid: 54321 }

const folder = mkdtempSync(join(tmpdir(), 'rowhouse-place-'))
chmodSync(folder, 0o755)
mkdirSync(join(folder, 'closed'), { mode: 0o700 })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const below = (...names: string[]) => join(folder, ...names, 'data')
const byDefault = (dataDir: string) => ({ ...readConfig({ ROWHOUSE_DATA_DIR: dataDir }), dataDirIsDefault: true })
const given = (dataDir: string) => readConfig({ ROWHOUSE_DATA_DIR: dataDir })

describe('the data directory', () => {
  const told: string[] = []
  const tell = (message: string) => void told.push(message)

  test('stays where it is when PostgreSQL’s user may go there, or is the same user', () => {
    expect(chooseDataDir(byDefault(below()), owner, tell)).toBe(below())
    expect(chooseDataDir(byDefault(below('closed')), null, tell)).toBe(below('closed'))
    expect(told).toEqual([])
  })

  test('moves, if it is the default, from below a folder that PostgreSQL’s user may not enter, and says so', () => {
    expect(chooseDataDir(byDefault(below('closed')), owner, tell)).toBe('/var/lib/rowhouse')
    expect(told).toEqual([
      expect.stringContaining(`"somebody" may not enter ${join(folder, 'closed')}, so the data is in /var/lib/rowhouse`),
    ])
  })

  test('is refused there if it was chosen, with what to do', () => {
    const choose = () => chooseDataDir(given(below('closed')), owner, tell)
    expect(choose).toThrow(DataDirError)
    expect(choose).toThrow(`chmod o+x ${join(folder, 'closed')}`)
  })

  test('does not move away from data that is there', () => {
    mkdirSync(below('closed'))
    expect(() => chooseDataDir(byDefault(below('closed')), owner, tell)).toThrow(`chmod o+x ${join(folder, 'closed')}`)
  })
})

test('the socket is in the data directory, unless its path is too long or has a comma', () => {
  const socketDirOf = (dataDir: string) => toDataDirPlace(dataDir, null).socketDir
  expect(socketDirOf('/srv/data')).toBe('/srv/data/run')
  for (const dataDir of ['/srv/a,b', `/srv/${'x'.repeat(80)}`]) expect(socketDirOf(dataDir)).toStartWith(join(tmpdir(), 'rowhouse-'))
})
