import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHandler, dialects } from '../../src/app'
import { createToken } from '../../src/auth/accounts/tokens'
import type { Role } from '../../src/auth/model'
import { createDeps } from '../../src/commands/bootstrap'
import type { ConnectionTarget } from '../../src/db/pool/open'
import type { Deps } from '../../src/deps'
import { serve } from '../../src/http/server/serve'
import { createEvents, type Event } from '../../src/ops/log/events'
import { readConfig } from '../../src/ops/settings/config'
import { loadPlugins, noPlugins } from '../../src/plugins/load/loaded'
import { createUser } from '../../src/users/service'
import { testServer } from './server'

export const password = 'correct horse battery'

/**
 * Far below the floor of the settings, which takes 35 ms of a processor for each password. A test of hashing sets
 * ROWHOUSE_ARGON2_… itself.
 */
const cheapHashes = { argon2MemoryKib: 64, argon2Passes: 1 }

/** The caller: a stranger (undefined) or one of three users, each with a token of full scope. */
type Caller = undefined | Role

type Call = { as?: Caller; method?: string; body?: unknown; headers?: Record<string, string> }

export type TestApp = {
  url: string
  deps: Deps
  /** The location of its database. */
  target: ConnectionTarget
  /** All events since the start, for tests of logs. */
  events: Event[]
  tokens: Record<Role, string>
  /** An object is sent as JSON, a string unchanged. */
  call: (path: string, call?: Call) => Promise<Response>
  stop: () => Promise<void>
}

/**
 * A real app on a real socket and a real PostgreSQL, with an admin, an editor and a viewer. Ends by itself after the
 * file.
 * @param options.beside an app whose database and users this one shares. Short time limits belong on such a second
 * instance, since the setup of a test on the first one may take long.
 */
export async function startApp(
  environment: Record<string, string> = {},
  options: { users?: boolean; plugins?: string; target?: ConnectionTarget; beside?: TestApp } = {},
): Promise<TestApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rowhouse-app-'))
  const read = readConfig({ HOST: '127.0.0.1', PORT: '0', ROWHOUSE_DATA_DIR: dataDir, ...environment })
  const config = Object.keys(environment).some((name) => name.startsWith('ROWHOUSE_ARGON2_')) ? read : { ...read, ...cheapHashes }
  const events = createEvents()
  const told: Event[] = []
  events.subscribe((event) => void told.push(event))
  const target = options.beside?.target ?? options.target ?? (await (await testServer()).createDatabase())
  const deps = createDeps(config, events, target, () => true)
  const plugins = options.plugins ? await loadPlugins(options.plugins, environment) : noPlugins
  const tokens = options.beside?.tokens ?? (options.users === false ? { admin: '', editor: '', viewer: '' } : await createUsers(deps))
  const server = serve(createHandler(deps, plugins), config, events, dialects)
  const stop = async () => {
    await server.stop()
    await deps.renderer.stop()
    deps.feed.stop()
    await deps.db.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  afterAll(stop)
  return { url: server.url, deps, target, events: told, tokens, call: (path, call = {}) => send(server.url + path, tokens, call), stop }
}

async function createUsers({ db, passwords }: Deps): Promise<Record<Role, string>> {
  await db.query('insert into rowhouse.setup default values')
  const tokenFor = async (role: Role) => {
    const { user } = await createUser(db, passwords, { email: `${role}@example.org`, role, password }, null)
    return (await createToken(db, { user, via: 'cookie', catalogVersion: 0 }, { name: 'test' }, null)).token
  }
  return { admin: await tokenFor('admin'), editor: await tokenFor('editor'), viewer: await tokenFor('viewer') }
}

function send(url: string, tokens: Record<Role, string>, { as, method, body, headers = {} }: Call): Promise<Response> {
  return fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      ...(as ? { authorization: `Bearer ${tokens[as]}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    redirect: 'manual',
  })
}

/** The body of a response whose type does not matter to the test. */
// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test is about
export const json = async (response: Response | Promise<Response>): Promise<any> => (await response).json()
