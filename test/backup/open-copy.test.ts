import { expect, test } from 'bun:test'
import { explainCopyError } from '../../src/backup/copy/open-copy'
import { BackupError, DamagedBackup, UnreadableStore, UntriedBackup } from '../../src/backup/errors'
import { openStore } from '../../src/backup/store'
import { fetchMissingFiles } from '../../src/backup/wal/missing-files'
import { patientConfig } from '../../src/db/embedded/postmaster'
import { connectDirectly } from '../../src/db/pool/open'
import { readConfig } from '../../src/ops/settings/config'
import { rejection } from '../support/rejection'
import { testServer } from '../support/server'

const failure = (code: string) => Object.assign(new Error('why'), { code })
const copy = { crash: () => null }
const crashed = { crash: () => new Error('PostgreSQL ended meanwhile') }

test.each(['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', '57P01', '53200', '53300'])(
  'a copy that does not answer (%s) is not damaged',
  (code) => {
    const error = explainCopyError(failure(code), copy)
    expect(error).toBeInstanceOf(UntriedBackup)
    expect((error as Error).message).toBe('The database of the backup could not be tried out (why). Try again.')
  },
)

test.each([
  ['rejects a statement', failure('XX001'), copy],
  ['crashes', failure('CONNECTION_CLOSED'), crashed],
  ['is no database of Rowhouse', new TypeError('why'), copy],
])('a copy whose PostgreSQL %s is damaged', (_what, error, running) => {
  const explained = explainCopyError(error, running)
  expect(explained).toBeInstanceOf(DamagedBackup)
  expect((explained as Error).message).toBe('The database of the backup cannot be read: why')
})

test('a sentence of ours stays', () => {
  const ours = new BackupError('too early')
  expect(explainCopyError(ours, crashed)).toBe(ours)
})

test('a full disk of ours is no damage of the copy', () => {
  const full = Object.assign(failure('ENOSPC'), { syscall: 'write' })
  expect(explainCopyError(full, copy)).toBe(full)
})

test.each(['ECONNREFUSED', 'EPIPE'])('a connection that the operating system ends (%s) is the copy’s', (code) => {
  const error = Object.assign(failure(code), { syscall: 'connect' })
  expect(explainCopyError(error, copy)).toBeInstanceOf(UntriedBackup)
  expect(explainCopyError(error, crashed)).toBeInstanceOf(DamagedBackup)
})

test('an archive that cannot be listed is no damage of the backup', async () => {
  const list = () => Promise.reject(new Error('S3 is away'))
  const files = { ...openStore('/archive/files', readConfig({})), list }
  const archive = { stores: { root: files, segments: files, files }, place: '/archive', identity: null, objects: new Map() }
  const { signal } = new AbortController()
  const fetching = fetchMissingFiles(null as never, { archive, folder: '/nowhere', signal, onBytes: () => {} })
  const error = await rejection(fetching)
  expect(error).toBeInstanceOf(UnreadableStore)
  expect((error as Error).message).toBe('/archive/files/ cannot be read: S3 is away')
})

test('our own PostgreSQL has longer to answer than the settings say', async () => {
  const target = await (await testServer()).createDatabase()
  const sql = connectDirectly(target, patientConfig({ ...readConfig({}), databaseConnectTimeoutMs: 1 }))
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }] as never)
  await sql.end()
})
