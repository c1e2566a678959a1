import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './executable'
import { unpackPostgres, versionOf } from './postgres-package'
import { isRoot } from './scratch'

/** The major version before that of the executable. */
const older = 'postgres-17'

/** For root: PostgreSQL refuses to run as root. */
const user = isRoot ? { uid: 65534, gid: 65534 } : {}

/** A PostgreSQL that runs on a cluster of a data directory, for any client. */
export type ClusterServer = AsyncDisposable & { socketDir: string; stop: () => Promise<void> }

/** The programs in the form in which a release with that PostgreSQL unpacks them. */
function unpackOlder(dataDir: string): string {
  const folder = join(dataDir, `runtime/postgres-${versionOf(older)}-0123456789ab`)
  if (!existsSync(folder)) unpackPostgres(older, folder)
  return folder
}

/** An empty data directory of a release with that PostgreSQL: its programs and its cluster, with the database. */
export function makeOlderDataDir(): string {
  const dataDir = join(newFolder(), 'data')
  mkdirSync(dataDir, { mode: 0o755 })
  const runtime = unpackOlder(dataDir)
  give(dataDir)
  const cluster = join(dataDir, 'postgres')
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  run(join(runtime, 'bin/initdb'), ['-D', cluster, '-U', 'rowhouse', ...locale, '--auth-local=trust', '--data-checksums', '--no-sync'])
  const statement = `create database rowhouse locale_provider icu icu_locale 'und-u-kn-true' template template0`
  run(join(runtime, 'bin/postgres'), ['--single', '-D', cluster, 'postgres'], statement)
  return dataDir
}

/**
 * Runs the PostgreSQL of its major version on `cluster` in the data directory, among the versions that are unpacked
 * there.
 */
export async function startCluster(dataDir: string, cluster = 'postgres'): Promise<ClusterServer> {
  const major = readFileSync(join(dataDir, cluster, 'PG_VERSION'), 'utf8').trim()
  const runtime = readdirSync(join(dataDir, 'runtime')).find((name) => name.startsWith(`postgres-${major}.`))
  const socketDir = newFolder()
  writeFileSync(join(socketDir, 'hba.conf'), 'local all all trust\n')
  give(socketDir)
  const settings = ['fsync=off', 'listen_addresses=', `unix_socket_directories=${socketDir}`, `hba_file=${join(socketDir, 'hba.conf')}`]
  const args = ['-D', join(dataDir, cluster), ...settings.flatMap((setting) => ['-c', setting])]
  const file = join(dataDir, `runtime/${runtime}/bin/postgres`)
  const child = spawn(file, args, { cwd: dataDir, stdio: ['ignore', 'ignore', 'pipe'], ...user })
  let errors = ''
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  await new Promise<void>((done, fail) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text
      if (errors.includes('ready to accept connections')) done()
    })
    void ended.then(() => fail(new Error(errors)))
  })
  const stop = async () => {
    child.kill('SIGINT')
    await ended
  }
  return { socketDir, stop, [Symbol.asyncDispose]: stop }
}

/** Changes the owner to the user that runs PostgreSQL if the tests run as root. */
export function give(folder: string) {
  if (isRoot) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, folder])
}

function run(file: string, args: string[], input = '') {
  const { status, stderr } = spawnSync(file, args, { input, encoding: 'utf8', env: { PATH: process.env.PATH, LC_ALL: 'C' }, ...user })
  if (status !== 0) throw new Error(stderr)
}
