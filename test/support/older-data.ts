import { rmSync } from 'node:fs'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { makeAllTypes } from './all-types'
import { call, copyFolder, type Ended, newFolder, run, startService } from './executable'
import { readAllRows, readInventory } from './inventory'
import { makeOlderDataDir, startCluster } from './older-cluster'
import { setUp } from './used-data'

/** `record` and `file` are the service's responses for their paths. */
type OlderData = { dataDir: string; token: string; record: Answer; file: Answer }
type Answer = { path: string; text: string }

const schemas = ['rowhouse', 'data', 'team', 'Odd "Schema', 'public']
const allObjects = join(import.meta.dir, 'all-objects.sql')

let filled: Promise<OlderData> | null = null

/**
 * A copy of a data directory of the older PostgreSQL that a team has used, with a schema that the team created. With
 * both PostgreSQLs and both databases it takes 300 MB, so it is removed after the test.
 */
export async function usedOlder(): Promise<OlderData & Disposable> {
  filled ??= fill()
  const made = await filled
  const dataDir = join(newFolder(), 'data')
  copyFolder(made.dataDir, dataDir)
  return { ...made, dataDir, [Symbol.dispose]: () => rmSync(dataDir, { recursive: true, force: true }) }
}

/** The service makes it over a connection, as it would with that embedded PostgreSQL. */
async function fill(): Promise<OlderData> {
  const dataDir = makeOlderDataDir()
  await using server = await startCluster(dataDir)
  const environment = { DATABASE_URL: `postgres://rowhouse@/rowhouse?host=${server.socketDir}` }
  await using service = await startService({ dataDir, environment })
  const token = await setUp(service)
  const api = `${service.url}/api/v1`
  const sample = await call(`${api}/sample-data`, { token, method: 'POST' })
  if (sample.status !== 201) throw new Error(await sample.text())
  await makeAllTypes({ url: service.url, token })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' }
  const path = '/api/v1/tables/everything/records/1'
  const text = 'the bytes of a file'
  const sent = await fetch(`${service.url}${path}/attachments/photos?name=a.txt`, { method: 'POST', headers, body: text })
  const [file] = (await sent.json()) as { url: string }[]
  const record = await (await call(service.url + path, { token })).text()
  const sql = connectTo(server.socketDir, 'rowhouse')
  await sql.unsafe(await Bun.file(allObjects).text()).simple()
  await sql.end()
  return { dataDir, token, record: { path, text: record }, file: { path: file!.url, text } }
}

export const connectTo = (socketDir: string, database: string): Sql =>
  postgres({ path: join(socketDir, '.s.PGSQL.5432'), user: 'rowhouse', database, max: 1, onnotice: () => {} })

/** Queries a cluster of the data directory with the PostgreSQL of its major version. */
export async function withCluster<Result>(
  dataDir: string,
  work: (sql: Sql) => Promise<Result>,
  cluster = 'postgres',
  database = 'rowhouse',
): Promise<Result> {
  await using server = await startCluster(dataDir, cluster)
  const sql = connectTo(server.socketDir, database)
  return await work(sql).finally(() => sql.end())
}

/** All definitions and all rows. */
export const inventoryOf = async (sql: Sql) => ({ ...(await readInventory(sql)), ...(await readAllRows(sql, schemas)) })

export const runUpgrade = (dataDir: string, more: Record<string, string> = {}): Promise<Ended> =>
  run(['upgrade', '--postgres'], { environment: { ROWHOUSE_DATA_DIR: dataDir, ...more } })
