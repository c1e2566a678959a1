import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { json } from '../support/app'
import { ask, backUp, launch, openFolder, scratchIn } from '../support/backups'
import { rounds } from '../support/drill'
import { call, copyFolder, newFolder, run, startService } from '../support/executable'
import { until } from '../support/processes'
import { printedRandom } from '../support/random'
import { startUsed } from '../support/used-data'
import { archived, startArchiving, type UsedService } from '../support/wal-archives'

async function api(service: UsedService, method: string, path: string, body?: unknown) {
  const answer = await call(`${service.url}/api/v1${path}`, { token: service.token, method, ...(body === undefined ? {} : { body }) })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.status === 204 ? null : json(Promise.resolve(answer))
}

const restoreTable = (service: UsedService, file: string, table: string, as: string, more: string[] = []) =>
  run(['restore', file, `--table=${table}`, `--as=${as}`, ...more], { environment: { ROWHOUSE_DATA_DIR: service.dataDir } })

/** A shop with a column of every kind that a table can have. */
async function makeShop(service: UsedService) {
  await api(service, 'POST', '/tables', { name: 'people', columns: [{ name: 'name', type: 'text' }] })
  await api(service, 'POST', '/tables', { name: 'tags', primaryKey: { name: 'code', type: 'text' }, columns: [] })
  await api(service, 'POST', '/tables', {
    name: 'orders',
    section: 'Sales',
    columns: [
      { name: 'title', type: 'text', required: true, unique: true, description: 'Of the order' },
      { name: 'amount', type: 'decimal', options: { precision: 12, scale: 2, min: 0 }, default: 1 },
      { name: 'twice', type: 'formula', options: { expression: '"amount" * 2' } },
      { name: 'state', type: 'select', options: { choices: ['open', 'done'] }, default: 'open' },
      { name: 'kinds', type: 'multiSelect', options: { choices: ['a', 'b'] } },
      { name: 'number', type: 'autoNumber' },
      { name: 'customer', type: 'link', required: true, options: { table: 'people', onDelete: 'cascade' } },
      { name: 'tagged', type: 'manyLinks', options: { table: 'tags' } },
      { name: 'data', type: 'json' },
      { name: 'papers', type: 'attachment' },
      { name: 'owner', type: 'user' },
      { name: 'made', type: 'createdAt' },
      { name: 'changed', type: 'updatedAt' },
      { name: 'maker', type: 'createdBy' },
    ],
  })
  await api(service, 'POST', '/tables/orders/columns', { name: 'before', type: 'link', options: { table: 'orders' } })
  await api(service, 'POST', '/tables/orders/columns', { name: 'others', type: 'manyLinks', options: { table: 'orders' } })
  await api(service, 'POST', '/tables/orders/columns', { name: 'who', type: 'lookup', options: { link: 'customer', column: 'name' } })
  await api(service, 'POST', '/tables/people/columns', {
    name: 'ordered',
    type: 'reverseLinks',
    options: { table: 'orders', column: 'customer' },
  })
  await api(service, 'POST', '/tables/people/records', [{ name: 'Ada' }, { name: 'Bob' }])
  await api(service, 'POST', '/tables/tags/records', [{ code: 'x' }, { code: 'y' }])
  await api(service, 'POST', '/tables/orders/records', [
    { title: 'one', amount: '12.50', customer: 1, tagged: ['x', 'y'], kinds: ['a'], data: { a: [1, null, '\\N\t'] } },
    { title: 'two\nlines', customer: 2, before: 1, tagged: ['y'], others: [1] },
    { title: 'three', amount: null, customer: 1, state: 'done', before: 2, others: [1, 2] },
  ])
  await upload(service, 1, 'first.txt', 'one')
  await upload(service, 2, 'second.txt', 'two')
}

async function backUpShop() {
  await using service = await startUsed()
  await makeShop(service)
  const file = join(openFolder(), 'base.tar.zst')
  expect(await backUp(service.dataDir, file)).toMatchObject({ code: 0 })
  await service.stop()
  return { dataDir: service.dataDir, token: service.token, file }
}

let backedUp: ReturnType<typeof backUpShop> | null = null

/** On a copy of one shop, whose backup `file` is: to make both takes longer than what a test does with them. */
async function startShop(): Promise<UsedService & { file: string }> {
  backedUp ??= backUpShop()
  const { token, file, ...made } = await backedUp
  const dataDir = join(newFolder(), 'data')
  copyFolder(made.dataDir, dataDir)
  return { ...(await startService({ dataDir })), token, file }
}

const upload = async ({ url, token }: UsedService, id: number, name: string, body: string) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' }
  const sent = await fetch(`${url}/api/v1/tables/orders/records/${id}/attachments/papers?name=${name}`, { method: 'POST', body, headers })
  expect(sent.status).toBe(201)
}

/** As when the time of grace of removed files is over. */
function removeBytes({ dataDir }: UsedService) {
  const files = join(dataDir, 'files')
  for (const name of readdirSync(files)) if (/^[0-9a-f]{2}$/.test(name)) rmSync(join(files, name), { recursive: true })
}

type OrderRecord = Record<string, unknown> & { id: number; papers: { id: string; name: string; url: string }[] }
const records = async (service: UsedService, table: string): Promise<OrderRecord[]> =>
  (await api(service, 'GET', `/tables/${encodeURIComponent(table)}/records?order=id`)).records

const withoutFiles = (rows: OrderRecord[]) => rows.map(({ papers, ...row }) => ({ ...row, papers: papers.map(({ name }) => name) }))
const definitions = async (service: UsedService, table: string) =>
  (await api(service, 'GET', `/tables/${table}`)).columns.map(
    ({ id: _, position: __, options, ...column }: { id: string; position: number; options: object }) => ({
      ...column,
      options: { ...options, table: undefined, link: undefined },
    }),
  )

describe('one table of a backup', () => {
  test('comes back beside the others: every type, keys, links, files, and what the next record gets', async () => {
    await using service = await startShop()
    const { file } = service
    const before = await records(service, 'orders')
    const columns = await definitions(service, 'orders')

    const restored = await restoreTable(service, file, 'orders', 'again')
    expect({ code: restored.code, stderr: restored.stderr }).toMatchObject({ code: 0 })
    expect(restored.stdout).toBe('Restored orders as again: 3 records, 2 attachments.\n')
    expect(withoutFiles(await records(service, 'again'))).toEqual(withoutFiles(before))
    expect(await definitions(service, 'again')).toEqual(columns)
    expect(await api(service, 'GET', '/tables/again')).toMatchObject({ section: 'Sales', position: null })
    const next = await api(service, 'POST', '/tables/again/records', { title: 'next', customer: 1 })
    expect(next).toMatchObject({ id: 4, number: 4 })
    expect(scratchIn(service.dataDir)).toEqual([])

    // The files of one are not those of the other.
    const [first] = await records(service, 'again')
    const [original] = await records(service, 'orders')
    expect(first!.papers[0]!.id).not.toBe(original!.papers[0]!.id)
    await api(service, 'DELETE', '/tables/orders?confirm=orders').catch(() => {})
    const bytes = await call(service.url + first!.papers[0]!.url, { token: service.token })
    expect(await bytes.text()).toBe('one')
    expect(await run(['files', 'check'], { environment: { ROWHOUSE_DATA_DIR: service.dataDir } })).toMatchObject({ code: 0 })
  })

  test('comes back when it and what it names are gone, and says what is lost', async () => {
    await using service = await startShop()
    const { file } = service
    const [one] = await records(service, 'orders')
    await call(`${service.url}/api/v1/tables/people/records/2`, { token: service.token, method: 'DELETE' })
    await call(`${service.url}/api/v1/tables/orders/columns/tagged?confirm=tagged`, { token: service.token, method: 'DELETE' })
    await call(`${service.url}/api/v1/tables/tags?confirm=tags`, { token: service.token, method: 'DELETE' })
    await call(`${service.url}/api/v1/tables/people/columns/ordered?confirm=ordered`, { token: service.token, method: 'DELETE' })
    await call(`${service.url}/api/v1/tables/orders?confirm=orders`, { token: service.token, method: 'DELETE' })
    removeBytes(service)
    const restored = await restoreTable(service, file, 'orders', 'orders')
    expect({ code: restored.code, stderr: restored.stderr }).toMatchObject({ code: 0 })
    expect(restored.stdout).toContain('"customer": 1 named a user or record that no longer exists')
    expect(restored.stdout).toContain('The column "tagged" was left out: the table that it links to is not there, or has another key.')
    const found = await records(service, 'orders')
    expect(found.map(({ title, customer, before }) => [title, customer, before])).toEqual([
      ['one', 1, null],
      ['two\nlines', null, 1],
      ['three', 1, 2],
    ])
    expect(found[0]!.who).toBe('Ada')
    const bytes = await call(service.url + found[0]!.papers[0]!.url, { token: service.token })
    expect(await bytes.text()).toBe('one')
    expect(found[0]!.made).toEqual(one!.made)
  })

  test('of a time in between, with the files that came since', async () => {
    const archive = openFolder()
    await using service = await startArchiving(archive)
    await makeShop(service)
    const file = join(openFolder(), 'base.tar.zst')
    expect(await backUp(service.dataDir, file)).toMatchObject({ code: 0 })
    await upload(service, 3, 'late.txt', 'behind the backup')
    await Bun.sleep(20)
    const at = new Date().toISOString()
    await Bun.sleep(20)
    await call(`${service.url}/api/v1/tables/orders/records/3`, { token: service.token, method: 'DELETE' })
    await archived(service, archive)
    removeBytes(service)
    const restored = await restoreTable(service, file, 'orders', 'then', [`--to=${at}`, `--wal-archive=${archive}`])
    expect({ code: restored.code, stderr: restored.stderr }).toMatchObject({ code: 0 })
    const found = await records(service, 'then')
    expect(found.map(({ title, papers }) => [title, papers.map(({ name }) => name)])).toEqual([
      ['one', ['first.txt']],
      ['two\nlines', ['second.txt']],
      ['three', ['late.txt']],
    ])
  })

  test('of a time before the backup is refused, of a moment ago it comes, and a table of a like name stays', async () => {
    const archive = openFolder()
    await using service = await startArchiving(archive)
    await makeShop(service)
    const early = new Date().toISOString()
    await Bun.sleep(20)
    const file = join(openFolder(), 'base.tar.zst')
    expect(await backUp(service.dataDir, file)).toMatchObject({ code: 0 })
    const to = (at: string) => [`--to=${at}`, `--wal-archive=${archive}`]
    expect(await restoreTable(service, file, 'orders', 'x', to(early))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Choose an earlier backup'),
    })
    // The first is what is left by a process that was killed as soon as it had made the table.
    for (const name of ['being restored 0123456789ab', 'now (being restored)', 'being restored by hand'])
      await api(service, 'POST', '/tables', { name, columns: [] })
    const rules = ['orders', 'being restored 0123456789ab'].map((table) => ({ group: 'role:viewer', table, read: 'all' }))
    await api(service, 'PUT', '/access', { rules })
    const name = '注文管理システム復元テーブル一二三四五'
    const restored = await restoreTable(service, file, 'orders', name, to(new Date().toISOString()))
    expect({ code: restored.code, stderr: restored.stderr }).toMatchObject({ code: 0 })
    expect(restored.stdout).toContain('The archive of the log ends before the requested time')
    expect(await records(service, name)).toHaveLength(3)
    // A copy of a table with rules is open to nobody whom a line does not let in.
    expect(restored.stdout).toContain(`so only administrators can use "${name}"`)
    const nothing = { read: 'none', create: 'none', update: 'none', delete: 'none' }
    const document = await api(service, 'GET', '/access')
    expect(document).toMatchObject({ problems: [], rules: [{ table: 'orders' }, { group: 'everyone', table: name, ...nothing }] })
    expect(document.rules).toHaveLength(2)
    for (const as of ['', 'x'.repeat(64), name.repeat(2)])
      expect(await restoreTable(service, file, 'orders', as)).toMatchObject({ code: 1, stderr: expect.stringContaining('--as=') })
    const { tables } = await api(service, 'GET', '/tables')
    const names = tables.map(({ name: found }: { name: string }) => found)
    expect(names).toEqual(expect.arrayContaining(['now (being restored)', 'being restored by hand']))
    expect(names).not.toContain('being restored 0123456789ab')
  })

  test('is refused in a sentence where it cannot be, and a killed one leaves nothing that has its name', async () => {
    await using service = await startShop()
    const { file } = service
    const refused = async (table: string, as: string, code: number, reason: RegExp, more: string[] = []) =>
      expect(await restoreTable(service, file, table, as, more)).toMatchObject({ code, stderr: expect.stringMatching(reason) })
    await refused('orders', 'people', 1, /A table "people" already exists/)
    await refused('nothing', 'x', 1, /no table "nothing"\. It has .*orders/)
    await refused('order', 'x', 1, /^(?!.*Unpacking).*Did you mean "orders"\?/s)
    await refused('orders', 'x', 2, /--dry-run does not work with --table/, ['--dry-run'])
    expect(await run(['restore', file, '--table=orders'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--table and --as are given together'),
    })
    expect(
      await run(['restore', file, '--table=orders', '--as=x'], { environment: { ROWHOUSE_DATA_DIR: join(newFolder(), 'x') } }),
    ).toMatchObject({ code: 1 })

    const random = printedRandom()
    for (let round = 0; round < rounds(1, 4); round++) {
      const left = scratchIn(service.dataDir)
      const [{ at: launchedAt } = { at: '' }] = await ask<{ at: string }>(service, 'select clock_timestamp()::text as at')
      const { kill, ended } = launch(['restore', file, '--table=orders', '--as=killed'], service.dataDir)
      await until('it has begun', () => scratchIn(service.dataDir).some((name) => !left.includes(name)), ended)
      await Promise.race([ended, Bun.sleep(random() * 2000)])
      kill('SIGKILL')
      const code = await ended
      // PostgreSQL may still be at its last statement.
      const sessions = `backend_type = 'client backend' and backend_start > '${launchedAt}' and pid <> pg_backend_pid()`
      await ask(service, `select pg_terminate_backend(pid, 60000) from pg_stat_activity where ${sessions}`)
      const { tables } = await api(service, 'GET', '/tables')
      const isNamed = tables.some(({ name }: { name: string }) => name === 'killed')
      // It has its name a moment before the command ends.
      if (code === 0) expect(isNamed).toBe(true)
      if (!isNamed) continue
      expect(await records(service, 'killed')).toHaveLength(3)
      await api(service, 'DELETE', '/tables/killed?confirm=killed')
    }
    expect(await restoreTable(service, file, 'orders', 'killed')).toMatchObject({ code: 0 })
    const { tables } = await api(service, 'GET', '/tables')
    expect(tables.filter(({ name }: { name: string }) => name.startsWith('being restored'))).toEqual([])
    expect(await records(service, 'killed')).toHaveLength(3)
    expect(existsSync(service.dataDir) && scratchIn(service.dataDir)).toEqual([])
  })
})
