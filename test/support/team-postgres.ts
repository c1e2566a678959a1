import { spawnSync } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { newFolder } from './executable'
import { freePort } from './ports'
import { login, uriOf } from './postgres'
import { unpackPostgres } from './postgres-package'
import { isRoot } from './scratch'
import { startServerProcess } from './server-process'

let unpacked: string | null = null

/** The programs of PostgreSQL 15, the oldest version that Rowhouse supports. */
function programs(): string {
  if (unpacked === null) {
    unpacked = newFolder()
    unpackPostgres('postgres-15', unpacked)
  }
  return join(unpacked, 'bin')
}

/** For root: PostgreSQL refuses to run as root. */
const user = isRoot ? { uid: 65534, gid: 65534 } : {}

/** A team's server: TCP with a password, and a role that owns the databases and is not a superuser. */
export type TeamPostgres = AsyncDisposable & {
  port: number
  /** A superuser's connection to that database. */
  connect: (database: string) => Sql
  /** An empty database, and its URI. */
  createDatabase: (name: string) => Promise<string>
}

export async function startTeamPostgres(): Promise<TeamPostgres> {
  const folder = newFolder()
  if (isRoot) chownSync(folder, user.uid!, user.gid!)
  const cluster = join(folder, 'cluster')
  const made = spawnSync(
    join(programs(), 'initdb'),
    [
      '-D',
      cluster,
      '-U',
      'postgres',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--auth-local=trust',
      '--auth-host=scram-sha-256',
      '--no-sync',
    ],
    { encoding: 'utf8', env: { PATH: process.env.PATH }, ...user },
  )
  if (made.status !== 0) throw new Error(made.stderr)
  const port = freePort()
  writeFileSync(
    join(cluster, 'postgresql.auto.conf'),
    `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${folder}'\nfsync = off\n`,
  )
  const server = startServerProcess(join(programs(), 'postgres'), ['-D', cluster], { cwd: folder, ...user })
  const connections: Sql[] = []
  const connect = (database: string) => {
    const sql = postgres({ path: join(folder, `.s.PGSQL.${port}`), user: 'postgres', database, max: 1, onnotice: () => {} })
    connections.push(sql)
    return sql
  }
  const admin = connect('postgres')
  await server.untilReady('PostgreSQL answers', () =>
    admin`select 1`.then(
      () => true,
      () => false,
    ),
  )
  await admin.unsafe(`create role ${login.user} login password '${login.password}'`)
  return {
    port,
    connect,
    createDatabase: async (name) => {
      await admin.unsafe(`create database ${name} owner ${login.user}`)
      return uriOf(port, name)
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(connections.map((sql) => sql.end({ timeout: 1 })))
      await server.end('SIGINT')
    },
  }
}
