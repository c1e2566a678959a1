import { spawn } from 'node:child_process'
import { chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { executable, newFolder } from './executable'
import { until } from './processes'
import { usedDataDir } from './used-data'

/** The last stage of the Dockerfile. */
export type Image = {
  uid: number
  gid: number
  folder: string
  environment: Record<string, string>
  healthCheck: string[]
  command: string[]
}

export function readImage(): Image {
  const text = readFileSync(resolve(import.meta.dir, '../../Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .at(-1)!
  const find = (pattern: RegExp) => {
    const found = pattern.exec(text)?.[1]
    if (!found) throw new Error(`The Dockerfile has nothing like ${pattern}.`)
    return found
  }
  const [uid = 0, gid = 0] = find(/^USER (\d+:\d+)$/m)
    .split(':')
    .map(Number)
  return {
    uid,
    gid,
    folder: find(/^WORKDIR (.+)$/m),
    environment: Object.fromEntries(
      find(/^ENV (.+)$/m)
        .split(' ')
        .map((pair) => pair.split('=') as [string, string]),
    ),
    healthCheck: JSON.parse(find(/^HEALTHCHECK .*CMD (\[.+\])$/m)),
    command: JSON.parse(find(/^ENTRYPOINT (\[.+\])$/m)),
  }
}

/** The libraries of this machine that a program loads; PostgreSQL includes some itself. */
function librariesOf(program: string): string[] {
  const own = join(dirname(program), '../lib')
  const { stdout } = Bun.spawnSync(['ldd', program], { env: { LD_LIBRARY_PATH: own } })
  return [...stdout.toString().matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path!).filter((path) => !path.startsWith(own))
}

/**
 * A root directory with the executable, a shell, the libraries of both and of PostgreSQL, and one line in /etc/passwd:
 * exactly what a container needs according to docs/running.md.
 */
export async function makeRoot({ uid, gid, folder }: Image): Promise<string> {
  const root = newFolder()
  for (const path of ['proc', 'dev', 'etc', 'tmp', 'bin', 'usr/local/bin', folder]) mkdirSync(join(root, path), { recursive: true })
  chownSync(join(root, folder), uid, gid)
  writeFileSync(join(root, 'etc/passwd'), `rowhouse:x:${uid}:${gid}::${folder}:/usr/sbin/nologin\n`)
  copyFileSync(executable(), join(root, 'usr/local/bin/rowhouse'))
  copyFileSync('/bin/sh', join(root, 'bin/sh'))
  const { dataDir } = await usedDataDir()
  const [postgres = ''] = [...new Bun.Glob('runtime/*/bin/postgres').scanSync({ cwd: dataDir, absolute: true })]
  for (const path of new Set([executable(), '/bin/sh', postgres].flatMap(librariesOf))) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    copyFileSync(path, join(root, path))
  }
  return root
}

/** Runs in separate namespaces, with a read-only root and no network except a loopback. */
const enter = `mount --bind "$0" "$0" && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --bind "$0$1" "$0$1" &&
  mount -o remount,bind,ro "$0" && ip link set lo up && folder=$1 uid=$2 gid=$3 && shift 3 &&
  exec setpriv --no-new-privs unshare --root="$0" --wd="$folder" --setgid "$gid" --setuid "$uid" "$@"`

export type Container = AsyncDisposable & {
  output: () => string
  /** Runs a command in it. */
  run: (command: string[]) => { code: number; output: string }
  stop: () => Promise<number | string>
}

export async function startContainer(root: string, image: Image, environment: Record<string, string>): Promise<Container> {
  const { uid, gid, folder, command } = image
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...image.environment, ...environment }
  // It ends with the tests, no matter how they end.
  const namespaces = ['--pdeathsig', 'KILL', 'unshare', '--mount', '--pid', '--net', '--fork', '--kill-child']
  const child = spawn('setpriv', [...namespaces, 'sh', '-c', enter, root, folder, String(uid), String(gid), ...command], {
    env,
    stdio: 'pipe',
  })
  const ended = new Promise<number | string>((done) => child.once('exit', (code, signal) => done(code ?? signal ?? 'unknown')))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  const first = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
  await until('the container runs its program', () => {
    if (child.exitCode !== null) throw new Error(output)
    return first() !== '' && readFileSync(`/proc/${first()}/status`, 'utf8').startsWith('Name:\trowhouse')
  })
  const inside = [
    '--target',
    first(),
    '--mount',
    '--pid',
    '--net',
    '--root',
    `--wdns=${folder}`,
    '--setgid',
    String(gid),
    '--setuid',
    String(uid),
  ]
  return {
    output: () => output,
    run: (words) => {
      const { exitCode, stdout, stderr } = Bun.spawnSync(['nsenter', ...inside, ...words], { env })
      return { code: exitCode, output: stdout.toString() + stderr.toString() }
    },
    // Like Docker, sends the signal to the first process.
    stop: () => {
      process.kill(Number(first()), 'SIGTERM')
      return ended
    },
    // The change of user has reset the first process's setting to end with its parent.
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      process.kill(Number(first() || child.pid), 'SIGKILL')
      await ended
    },
  }
}
