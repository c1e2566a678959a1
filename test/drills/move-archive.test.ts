import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { dryRun, openFolder, yearly } from '../support/backups'
import { call, run } from '../support/executable'
import { startPostgres } from '../support/postgres'
import { until } from '../support/processes'
import { addNumber, archived, startArchiving } from '../support/wal-archives'

const server = await startPostgres()
afterAll(() => server[Symbol.asyncDispose]())

test('behind a move and back one new archive of the log begins, a backup follows it, and nobody writes to the databases of before', async () => {
  const uri = await server.createDatabase('with_archive')
  const [archive, folder] = [openFolder(), openFolder()]
  await using service = await startArchiving(archive, { ROWHOUSE_BACKUP_TO: folder, ROWHOUSE_BACKUP_SCHEDULE: yearly })
  const { dataDir, url } = service
  const checks = async () => ((await (await call(`${url}/readyz`)).json()) as { checks: Record<string, unknown> }).checks
  const listens = () => service.log.filter(({ msg }) => msg.startsWith('listening on ')).length
  const backups = () => readdirSync(folder).filter((name) => name.endsWith('.zst'))
  const move = async (to: string) => {
    const moved = await run(['move', `--to=${to}`, '--quiet'], { environment: { ROWHOUSE_DATA_DIR: dataDir } })
    expect({ code: moved.code, stderr: moved.stderr }).toMatchObject({ code: 0 })
  }
  await until('the archive has its backup', () => backups().length === 1)
  await addNumber(service, 1)
  await archived(service, archive)
  await addNumber(service, 2)

  await move(uri)
  await until('the service has opened the new database', () => listens() === 2)
  await until('it is ready', async () => (await checks()).serving === true)
  expect((await checks()).walArchive).toBe('unused')
  expect(service.log.some(({ msg, level }) => level === 40 && msg.includes('ROWHOUSE_WAL_ARCHIVE is for the embedded database'))).toBe(true)
  await addNumber(service, 3)

  await move('embedded')
  await until('the service has opened the embedded database', () => listens() === 3)
  await until('it is ready', async () => (await checks()).serving === true)
  // Its reason is looked up a second later, by the service of this database alone.
  const refused = await call(`${url}/api/v1/tables`, { token: 'x'.repeat(43) })
  expect(refused.status).toBe(401)
  await until('a backup follows the new archive', () => backups().length === 2)
  await addNumber(service, 4)
  await archived(service, archive)
  expect(readdirSync(archive)).toHaveLength(2)
  expect(service.log.filter(({ msg }) => msg.includes('A new archive of the log begins'))).toEqual([])
  const said = await dryRun(join(folder, backups().sort().at(-1)!), [`--wal-archive=${archive}`])
  expect(said.stdout).toMatch(/With the log in .* it can be restored to any time since, until 2\d{3}-/)
  expect(said.stdout).not.toContain('missing')
  await service.stop()
  expect(service.log.filter(({ msg }) => msg.includes('keeping refusals failed'))).toEqual([])
}, 600_000)
