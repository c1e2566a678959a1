import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHandler, dialects } from '../app'
import { closeSetup } from '../auth/accounts/setup'
import { createToken } from '../auth/accounts/tokens'
import type { Role } from '../auth/model'
import type { Deps } from '../deps'
import { serve } from '../http/server/serve'
import { createEvents } from '../ops/log/events'
import { readConfig } from '../ops/settings/config'
import { type LoadedPlugins, loadPlugins, pluginProblems, wholePlugins } from '../plugins/load/loaded'
import { problemLine } from '../plugins/load/problem'
import { type SmokeTestCall, smokeTestCalls } from '../plugins/load/smoke-test'
import { createUser } from '../users/service'
import { applyMigrations, createDeps, openDatabase } from './bootstrap'
import type { Command } from './command'
import { runAsServiceUser } from './service-user'

const roles = ['viewer', 'editor', 'admin'] as const
type Caller = 'stranger' | Role
const callers: Caller[] = ['stranger', ...roles]

const maxCallMs = 60_000

export const pluginsTest: Command = {
  name: 'plugins test',
  summary: 'Call every endpoint and template as an anonymous user, a viewer, an editor and an admin.',
  description:
    'Runs the plugins on an empty database of its own, which is removed afterwards, and prints the status that each caller gets. Exits with 1 when a plugin cannot be loaded, or when one that is not public answers an anonymous user with anything but 401.',
  settings: ['pluginsDir', 'dataDir', 'user'],
  run: async ({ config, environment }) => {
    const { pluginsDir } = runAsServiceUser(config, { data: 'none', environment })
    const plugins = await loadPlugins(pluginsDir, environment)
    const problems = pluginProblems(plugins).map(problemLine)
    const leaks = await onEmptyDatabase((deps) => tryAll(deps, plugins))
    for (const line of [...problems, ...leaks]) console.log(`failed\t${line}`)
    return problems.length + leaks.length ? 1 : 0
  },
}

async function onEmptyDatabase<T>(work: (deps: Deps) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-plugins-'))
  const config = readConfig({ ROWHOUSE_DATA_DIR: join(folder, 'data'), HOST: '127.0.0.1', PORT: '0' })
  const events = createEvents()
  const warnings = new Set<string>()
  events.subscribe((event) => {
    if (event.kind === 'plugin_log' && event.level === 'warn') warnings.add(`${event.plugin}: ${event.message}`)
    if (event.kind === 'plugin_failed') console.error(`${event.plugin}: ${event.method} ${event.path}: ${event.error.message}`)
  })
  const opened = await openDatabase(config, events)
  try {
    await applyMigrations(opened.target, config)
    const deps = createDeps({ ...config, dataDir: opened.dataDir }, events, opened.target, () => true)
    return await work(deps).finally(async () => {
      await deps.renderer.stop()
      await deps.db.close()
    })
  } finally {
    for (const warning of warnings) console.error(`warning\t${warning}`)
    await opened.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @returns what failed */
async function tryAll(deps: Deps, plugins: LoadedPlugins): Promise<string[]> {
  const tokens = await makeCallers(deps)
  // The plugin's own responses are tested, not the rate limit.
  const unlimited = { take: async () => {} }
  const server = serve(createHandler({ ...deps, budgets: unlimited }, plugins), deps.config, deps.events, dialects)
  const leaks: string[] = []
  console.log(['', ...callers, 'path'].join('\t'))
  for (const call of smokeTestCalls(wholePlugins(plugins))) {
    const statuses = await Promise.all(callers.map((caller) => callStatus(server.url, call, tokens[caller])))
    console.log([call.method, ...statuses.map((status) => status || 'none'), call.path].join('\t'))
    if (!call.isPublic && statuses[0] !== 401)
      leaks.push(`${call.method} ${call.path} is not public and answers a stranger with ${statuses[0] || 'nothing'}.`)
  }
  await server.stop(0)
  return leaks
}

async function makeCallers({ db, passwords }: Deps): Promise<Record<Caller, string | null>> {
  await closeSetup(db)
  const tokenOf = async (role: Role) => {
    const { user } = await createUser(db, passwords, { email: `${role}@example.org`, role, password: crypto.randomUUID() }, null)
    return (await createToken(db, { user, via: 'cookie', catalogVersion: 0 }, { name: 'plugins test' }, null)).token
  }
  return { stranger: null, viewer: await tokenOf('viewer'), editor: await tokenOf('editor'), admin: await tokenOf('admin') }
}

/** Replaces the status of a response that breaks off or times out before it has one. */
const noStatus = 0

const callStatus = (base: string, call: SmokeTestCall, token: string | null): Promise<number> =>
  ask(base, call, token).catch(() => noStatus)

async function ask(base: string, { method, url, body, isOwn }: SmokeTestCall, token: string | null): Promise<number> {
  const response = await fetch(base + url, {
    method,
    body,
    headers: { ...(token && !isOwn ? { authorization: `Bearer ${token}` } : {}), ...(body ? { 'content-type': 'application/json' } : {}) },
    redirect: 'manual',
    signal: AbortSignal.timeout(maxCallMs),
  })
  await response.body?.cancel()
  return response.status
}
