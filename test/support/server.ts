import { afterAll } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installChangeTrigger } from '../../src/db/change-trigger'
import { startEmbedded } from '../../src/db/embedded'
import { migrate } from '../../src/db/migrate'
import { connectDirectly, type Target } from '../../src/db/open'
import { readConfig } from '../../src/ops/config'
import { createEvents } from '../../src/ops/events'
import { readUri } from '../../src/ops/uri'

/** One PostgreSQL for the whole run: the one inside, or that of TEST_DATABASE_URL. Each test file gets a database of its own. */
export type TestServer = { createDatabase: () => Promise<Target>; stop: () => Promise<void> }

const template = `rowhouse_template_${process.pid}`
let starting: Promise<TestServer> | null = null

export function testServer(): Promise<TestServer> {
  starting ??= start()
  return starting
}

// This file is the preload of bunfig.toml, so this runs once, behind the last test of the last file.
afterAll(async () => {
  await (await starting)?.stop()
})

async function start(): Promise<TestServer> {
  const config = readConfig({})
  const { admin, inDatabase, stop, isOurs } = process.env.TEST_DATABASE_URL ? external(process.env.TEST_DATABASE_URL) : await embedded()
  const sql = connectDirectly(admin, config)
  if (isOurs) {
    // These data need not outlive the run; making a database is four times faster so.
    await sql.unsafe('alter system set fsync = off')
    await sql.unsafe('select pg_reload_conf()')
  }
  await sql.unsafe(`create database ${template}`)
  const direct = connectDirectly(inDatabase(template), config)
  await migrate(direct)
  await installChangeTrigger(direct)
  await direct.end()
  const names: string[] = []
  return {
    createDatabase: async () => {
      const name = `${template}_${names.length}`
      names.push(name)
      await sql.unsafe(`create database ${name} template ${template}`)
      return inDatabase(name)
    },
    stop: async () => {
      // Ours is thrown away whole.
      for (const name of isOurs ? [] : [...names, template]) await sql.unsafe(`drop database if exists ${name} with (force)`)
      await sql.end()
      await stop()
    },
  }
}

async function embedded() {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-test-'))
  // mkdtemp makes it 0700; as root, PostgreSQL runs as another user, who must get in.
  chmodSync(folder, 0o755)
  const { target, stop } = await startEmbedded(readConfig({ ROWHOUSE_DATA_DIR: join(folder, 'data') }), createEvents())
  return {
    isOurs: true,
    admin: target,
    inDatabase: (database: string): Target => ({ ...(target as Extract<Target, { socketPath: string }>), database }),
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function external(url: string) {
  const uri = readUri(url)
  return { isOurs: false, admin: { uri }, inDatabase: (database: string): Target => ({ uri: { ...uri, database } }), stop: async () => {} }
}
