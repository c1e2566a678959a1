import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { newFolder } from './executable'
import { freePort } from './ports'
import { isRoot } from './scratch'
import { startServerProcess } from './server-process'
import { usedDataDir } from './used-data'

/**
 * A PostgreSQL like that of a team: TCP with a password, a socket, TLS if wanted, and an ordinary role that owns the
 * databases.
 */
export type Postgres = AsyncDisposable & {
  port: number
  socketDir: string
  /** A superuser's connection. */
  admin: Sql
  /** An empty database, and its URI over TCP. */
  createDatabase: (name: string) => Promise<string>
}

export const login = { user: 'app', password: 'p@ss/word?' }

export const uriOf = (port: number, database: string, host = '127.0.0.1') =>
  `postgres://${login.user}:${encodeURIComponent(login.password)}@${host}:${port}/${database}`

/** Runs the server that the executable unpacked, on a cluster that it made. */
export async function startPostgres({ port = freePort(), tls = false, databases = [] as string[] } = {}): Promise<Postgres> {
  const { dataDir } = await usedDataDir()
  const cluster = join(dataDir, 'postgres')
  const { uid, gid } = statSync(cluster)
  const own = (path: string) => {
    if (isRoot) chownSync(path, uid, gid)
    return path
  }
  const socketDir = own(newFolder())
  const hba = own(
    write(join(newFolder(), 'hba.conf'), ['local all all trust', `${tls ? 'hostssl' : 'host'} all all 127.0.0.1/32 scram-sha-256`]),
  )
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: socketDir,
    hba_file: hba,
    ...(tls ? { ssl: 'on', ...certificate(own) } : {}),
  }
  const runtime = join(dataDir, 'runtime', readdirSync(join(dataDir, 'runtime'))[0]!)
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // Done before it listens: a client that waits for it must not find it incomplete.
  const statements = [
    `create role ${login.user} login password '${login.password}'`,
    ...databases.map((name) => `create database ${name} owner ${login.user}`),
  ]
  const made = spawnSync(join(runtime, 'bin/postgres'), ['--single', '-D', cluster, 'postgres'], {
    cwd: cluster,
    input: `${statements.join('\n')}\n`,
    ...(isRoot ? { uid, gid } : {}),
  })
  if (made.status !== 0) throw new Error(`The role could not be made:\n${made.stderr}`)
  const server = startServerProcess(join(runtime, 'bin/postgres'), ['-D', cluster, ...args], {
    cwd: cluster,
    ...(isRoot ? { uid, gid } : {}),
  })
  const admin = postgres({ path: join(socketDir, `.s.PGSQL.${port}`), user: 'rowhouse', database: 'postgres', max: 2, onnotice: () => {} })
  await server.untilReady('PostgreSQL answers', () =>
    admin`select 1`.then(
      () => true,
      () => false,
    ),
  )
  return {
    port,
    socketDir,
    admin,
    createDatabase: async (name) => {
      await admin.unsafe(`create database ${name} owner ${login.user}`)
      return uriOf(port, name)
    },
    [Symbol.asyncDispose]: async () => {
      await admin.end({ timeout: 1 })
      await server.end('SIGINT')
    },
  }
}

function write(path: string, lines: string[]): string {
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
  return path
}

/** For `localhost`, signed by the authority of `tls/ca.pem`, and created for these tests only. */
export const certificateAuthority = resolve(import.meta.dir, 'tls/ca.pem')

function certificate(own: (path: string) => string) {
  const folder = newFolder()
  const copy = (name: string) => {
    copyFileSync(resolve(import.meta.dir, 'tls', name), join(folder, name))
    chmodSync(join(folder, name), 0o600)
    return own(join(folder, name))
  }
  const [ssl_cert_file, ssl_key_file] = [copy('server.pem'), copy('server.key')]
  return { ssl_cert_file, ssl_key_file }
}
