import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConnectionTarget } from '../../src/db/pool/open'
import { readUri } from '../../src/ops/settings/connection-uri'
import { freePort } from './ports'
import { startProxy } from './proxy'
import { startServerProcess } from './server-process'

/** PgBouncer in transaction mode, as Debian has it, between a client and the database of `target`. */
export type PgBouncer = AsyncDisposable & { target: ConnectionTarget; log: () => string }

export async function startPgBouncer(target: ConnectionTarget, poolSize = 8): Promise<PgBouncer> {
  // It runs as another user, who may not connect to PostgreSQL's socket.
  const proxy = await startProxy(target)
  const [user, database, password] =
    'uri' in target ? [target.uri.user, target.uri.database, target.uri.password] : [target.user, target.database, undefined]
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = freePort()
  const login = `user=${user}${password ? ` password=${password}` : ''}`
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: poolSize,
    server_tls_sslmode: 'disable',
  }
  const lines = [
    '[databases]',
    `${database} = host=127.0.0.1 port=${proxy.port} dbname=${database} ${login}`,
    '[pgbouncer]',
    ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`)
  // It refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const server = startServerProcess('pgbouncer', [...asNobody, join(folder, 'pgbouncer.ini')])
  await server.untilReady('PgBouncer listens', () => server.output().includes('process up'))
  return {
    target: { uri: { ...readUri(`postgres://127.0.0.1:${port}/?sslmode=disable`), user, database } },
    log: server.output,
    [Symbol.asyncDispose]: async () => {
      await server.end('SIGKILL')
      await proxy[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
