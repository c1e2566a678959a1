import { expect, test } from 'bun:test'
import { explainCopyError } from '../../src/backup/copy/open-copy'
import { BackupError, DamagedBackup, UntriedBackup } from '../../src/backup/errors'
import { patientConfig } from '../../src/db/embedded/postmaster'
import { connectDirectly } from '../../src/db/pool/open'
import { readConfig } from '../../src/ops/settings/config'
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

test('our own PostgreSQL has longer to answer than the settings say', async () => {
  const target = await (await testServer()).createDatabase()
  const sql = connectDirectly(target, patientConfig({ ...readConfig({}), databaseConnectTimeoutMs: 1 }))
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }] as never)
  await sql.end()
})
