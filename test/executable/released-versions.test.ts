import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openFolder } from '../support/backups'
import { isDrilling } from '../support/drill'
import { call, copyFolder, newFolder, run, type Service, startService } from '../support/executable'
import { newestMigration } from '../support/last-migration'
import { ask, comparable, dumpOf, fixturePath, readRecorded, releasedDataDir } from '../support/released'

/** Each has a fixture, which `bun run fixture` makes (test/fixtures/README.md). */
const versions = ['0.1.0']

test('every fixture is of a version that is tested, and small', () => {
  const names = readdirSync(fixturePath('.')).filter((name) => name.endsWith('.gz'))
  expect(names.sort()).toEqual(versions.flatMap((version) => [`${version}.json.gz`, `${version}.sql.gz`]))
  for (const name of names) expect(Bun.file(fixturePath(name)).size).toBeLessThan(300_000)
})

const made = new Map<string, Promise<string>>()

/** A copy: loading it takes longer. */
async function dataDirOf(version: string): Promise<string> {
  const loaded = made.get(version) ?? releasedDataDir(version)
  made.set(version, loaded)
  const dataDir = join(newFolder(), 'data')
  copyFolder(await loaded, dataDir)
  return dataDir
}

const notes = ({ log }: Service) => log.map(({ msg }) => msg)

/** Every question that was asked then has the answer that it had; today's may say more. */
async function expectSameAnswers({ url }: Service, version: string) {
  const recorded = readRecorded(version)
  for (const { status, type, answer, ...question } of recorded.answers) {
    const found = await ask(url, recorded, question)
    expect({ question, status: found.status, type: found.type.split(';')[0] }).toEqual({ question, status, type: type.split(';')[0] })
    // What is refused is told in a sentence, which may become a better one.
    const before = status < 400 ? comparable({ type, answer }) : { code: JSON.parse(answer).code }
    expect({ question, answer: comparable(found) }).toMatchObject({ question, answer: before as object })
  }
}

/** People sign in, are invited, and write; a caller of then may do what it might. */
async function expectUse({ url }: Service, version: string) {
  const { callers, passwords, invite } = readRecorded(version)
  for (const { email, password, status } of passwords)
    expect([email, (await call(`${url}/auth/login`, { body: { email, password } })).status]).toEqual([email, status])
  const { inviteToken, email } = invite
  expect(await (await call(`${url}/auth/invite/check`, { body: { inviteToken } })).json()).toMatchObject({ email })
  expect((await call(`${url}/auth/invite`, { body: { inviteToken, password: 'a lantern in the snow' } })).status).toBe(200)

  const records = `${url}/api/v1/tables/everything/records`
  const created = await call(records, { ...callers.writing, body: { title: 'Of today', whole: 4, people: [2], company: 3 } })
  expect([created.status, await created.json()]).toEqual([
    201,
    expect.objectContaining({ id: 3, number: 3, double: 8, label: 'OF TODAY (4)' }),
  ])
  const changed = await call(`${records}/1`, { ...callers.child, method: 'PATCH', body: { marks: ['green'] } })
  expect([changed.status, await changed.json()]).toEqual([200, expect.objectContaining({ marks: ['green'], exact: expect.anything() })])
  const headers = { 'content-type': 'text/plain', authorization: `Bearer ${callers.admin!.token}` }
  const sent = await fetch(`${records}/3/attachments/photos?name=b.txt`, { method: 'POST', headers, body: 'of today' })
  const [file] = (await sent.json()) as { url: string }[]
  expect(await (await call(url + file!.url, callers.viewer)).text()).toBe('of today')
  const imported = await fetch(`${url}/api/v1/tables/companies/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv', prefer: 'respond-async' },
    body: 'name\nBy CSV\n',
  })
  expect(imported.status).toBe(202)
}

test.each(versions)('version %s: behind a proven backup all is as it was, and the backup brings it back', async (version) => {
  const dataDir = await dataDirOf(version)
  const inPlace = { environment: { ROWHOUSE_DATA_DIR: dataDir } }
  const before = await dumpOf(dataDir)
  const plan = await run(['upgrade'], inPlace)
  expect([plan.code, plan.stdout]).toEqual([0, expect.stringMatching(new RegExp(`from \\d{4}_\\w+ to ${newestMigration}:`))])
  const rehearsed = await run(['upgrade', '--rehearse'], inPlace)
  expect([rehearsed.code, rehearsed.stdout]).toEqual([0, expect.stringContaining('All records of all tables are there.')])
  {
    await using service = await startService({ dataDir })
    expect(notes(service)).toContainEqual(expect.stringMatching(/^Backed up and verified: .*upgrade-backup/))
    await expectSameAnswers(service, version)
    await expectUse(service, version)
  }
  // To go back, its own executable is started on what it has left: the same definitions and rows.
  const [backup, ...others] = readdirSync(join(dataDir, 'upgrade-backup'))
  expect(others).toEqual([])
  const restored = join(newFolder(), 'data')
  const restoring = await run(['restore', join(dataDir, 'upgrade-backup', backup!)], { environment: { ROWHOUSE_DATA_DIR: restored } })
  expect({ code: restoring.code, stderr: restoring.stderr }).toMatchObject({ code: 0 })
  expect(await dumpOf(restored)).toBe(before)
  expect((await run(['upgrade'], { environment: { ROWHOUSE_DATA_DIR: restored } })).stdout).toBe(plan.stdout)
  await using again = await startService({ dataDir: restored, environment: { ROWHOUSE_UPGRADE_BACKUP: 'off' } })
  await expectSameAnswers(again, version)
})

test.each(isDrilling ? versions : [])('version %s: the backup goes where ROWHOUSE_BACKUP_TO says, or is not made', async (version) => {
  const folder = openFolder()
  {
    const environment = { ROWHOUSE_UPGRADE_BACKUP: 'always', ROWHOUSE_BACKUP_TO: folder }
    await using service = await startService({ dataDir: await dataDirOf(version), environment })
    expect(notes(service).find((note) => note.startsWith('Backed up and verified: '))).toContain(folder)
    await expectSameAnswers(service, version)
  }
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^rowhouse-\w+\.tar\.zst$/)])
  const dataDir = await dataDirOf(version)
  await using service = await startService({ dataDir, environment: { ROWHOUSE_UPGRADE_BACKUP: 'off' } })
  expect(readdirSync(dataDir)).not.toContain('upgrade-backup')
  await expectSameAnswers(service, version)
})
