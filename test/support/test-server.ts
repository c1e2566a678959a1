import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sortedByPeople } from '../../src/db/embedded/cluster'
import { startEmbedded } from '../../src/db/embedded/embedded'
import { migrate } from '../../src/db/migration/migrate'
import { type ConnectionTarget, connectDirectly } from '../../src/db/pool/open'
import { installChangeTrigger } from '../../src/db/schema/change-trigger'
import { createEvents } from '../../src/ops/log/events'
import { readConfig } from '../../src/ops/settings/config'
import { readUri } from '../../src/ops/settings/connection-uri'

/** A PostgreSQL for tests. Each test file gets its own database, created from a template that is already migrated. */
export type TestServer = {
  createDatabase: () => Promise<ConnectionTarget>
  /** For `attachTestServer` of another process. */
  address: string
  stop: () => Promise<void>
}

/** The description of a running server. `target` is the database in which others are created. */
type Address = { target: ConnectionTarget; template: string }

/** Starts the embedded PostgreSQL, or uses that of TEST_DATABASE_URL, and creates the template. */
export async function startTestServer(maxConnections = 100): Promise<TestServer> {
  const { target, stop, isOurs } = process.env.TEST_DATABASE_URL ? external(process.env.TEST_DATABASE_URL) : await embedded(maxConnections)
  const config = readConfig({})
  const template = `rowhouse_template_${process.pid}`
  const sql = connectDirectly(target, config)
  await sql.unsafe(`create database ${template} ${isOurs ? sortedByPeople : ''}`)
  await sql.end()
  const direct = connectDirectly(inDatabase(target, template), config)
  await migrate(direct)
  await installChangeTrigger(direct)
  await direct.end()
  const attached = attachTestServer(JSON.stringify({ target, template } satisfies Address))
  return {
    ...attached,
    stop: async () => {
      await attached.stop()
      // Our own server is discarded completely.
      if (!isOurs) await dropDatabases(target, [template])
      await stop()
    },
  }
}

/**
 * Uses the server that another process has started. `stop` drops the databases that were created here, and changes
 * nothing else.
 */
export function attachTestServer(address: string): TestServer {
  const { target, template } = JSON.parse(address) as Address
  const sql = connectDirectly(target, readConfig({}))
  const names: string[] = []
  return {
    address,
    createDatabase: async () => {
      const name = `rowhouse_test_${process.pid}_${names.length}`
      names.push(name)
      await sql.unsafe(`create database ${name} template ${template}`)
      return inDatabase(target, name)
    },
    stop: async () => {
      await sql.end()
      await dropDatabases(target, names)
    },
  }
}

async function dropDatabases(target: ConnectionTarget, names: string[]) {
  if (names.length === 0) return
  const sql = connectDirectly(target, readConfig({}))
  for (const name of names) await sql.unsafe(`drop database if exists ${name} with (force)`)
  await sql.end()
}

const inDatabase = (target: ConnectionTarget, database: string): ConnectionTarget =>
  'uri' in target ? { uri: { ...target.uri, database } } : { ...target, database }

async function embedded(maxConnections: number) {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-test-'))
  // mkdtemp creates it with mode 0700; under root, PostgreSQL runs as another user, who needs access.
  chmodSync(folder, 0o755)
  const confDir = join(folder, 'data/conf')
  mkdirSync(confDir, { recursive: true, mode: 0o755 })
  // These data need not outlive the run; without fsync, a database is made in a quarter of the time.
  writeFileSync(join(confDir, 'custom.conf'), `max_connections = ${maxConnections}\nfsync = off\n`)
  const { target, stop } = await startEmbedded(readConfig({ ROWHOUSE_DATA_DIR: join(folder, 'data') }), createEvents())
  return {
    isOurs: true,
    target,
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const external = (url: string) => ({ isOurs: false, target: { uri: readUri(url) } as ConnectionTarget, stop: async () => {} })
