import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { launch } from '../support/backups'
import { call, newFolder, run, startService } from '../support/executable'
import { isAlive, until } from '../support/processes'
import { printedRandom } from '../support/random'
import { setUp } from '../support/used-data'

/**
 * Kills the service at any moment of its first start. The processes that outlive it are left alone, killed with it, or
 * stopped and continued some time into the next start, which has to work and to have the whole database.
 */
const kills = Number(process.env.KILLS ?? 100)
const random = printedRandom()

/** The steps of a first start, each with what shows that it was reached. */
const steps: Record<string, (dataDir: string) => boolean> = {
  began: existsSync,
  unpacking: (dataDir) => namesIn(join(dataDir, 'runtime')).length > 0,
  unpacked: (dataDir) => namesIn(join(dataDir, 'runtime')).some((name) => !name.endsWith('.unpacking')),
  'initdb begins': (dataDir) => unfinishedIn(dataDir) !== undefined,
  'initdb makes template1': (dataDir) => existsSync(join(dataDir, unfinishedIn(dataDir) ?? '', 'base/1')),
  'initdb makes template0': (dataDir) => existsSync(join(dataDir, unfinishedIn(dataDir) ?? '', 'base/4')),
  'the cluster is in its place': (dataDir) => existsSync(join(dataDir, 'postgres')),
}

const fates = ['left alone', 'killed', 'held back'] as const

/** The longest times that a round may choose. */
const longestMs = { afterStep: 300, heldBack: 1400 }

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

const unfinishedIn = (dataDir: string) => namesIn(dataDir).find((name) => name.startsWith('postgres.new'))

/** The processes in the data directory: PostgreSQL, initdb and the shells that it starts. */
const workingIn = (dataDir: string): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && `${folderOf(pid)}/`.startsWith(`${dataDir}/`))

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

function signalAll(pids: number[], signal: NodeJS.Signals) {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, signal)
}

/** The names of the files of template0, which nothing changes once it is made: no hole may be in them. */
const template0 = (dataDir: string): string[] => readdirSync(join(dataDir, 'postgres/base/4')).sort()

async function killedStart(dataDir: string) {
  const names = Object.keys(steps)
  const step = names[Math.floor(random() * names.length)]!
  const fate = fates[Math.floor(random() * fates.length)]!
  const afterStepMs = random() * longestMs.afterStep
  const first = launch([], dataDir, { PORT: '0' })
  await until(step, () => steps[step]!(dataDir))
  await Bun.sleep(afterStepMs)
  const left = workingIn(dataDir)
  if (fate === 'held back') signalAll(left, 'SIGSTOP')
  first.kill('SIGKILL')
  if (fate === 'killed') signalAll(left, 'SIGKILL')
  await first.ended
  return { step, fate, afterStepMs: Math.round(afterStepMs), left }
}

if (process.platform === 'linux') {
  test(`kill -9 at any moment of ${kills} first starts: the next start works, on a whole database`, async () => {
    const unharmed = await startService({ dataDir: join(newFolder(), 'data') })
    await unharmed.stop()
    const whole = template0(unharmed.dataDir)
    const outcomes: Record<string, number> = {}
    for (let round = 1; round <= kills; round++) {
      const dataDir = join(newFolder(), 'data')
      const { left, ...killed } = await killedStart(dataDir)
      const heldMs = Math.round(random() * longestMs.heldBack)
      const letGo = Bun.sleep(heldMs).then(() => signalAll(left, 'SIGCONT'))
      const context = { round, ...killed, heldMs, left: left.length }
      const service = await startService({ dataDir }).catch((cause) => {
        throw new Error(JSON.stringify(context), { cause })
      })
      await letGo
      await until('what was left has ended', () => left.every((pid) => !isAlive(pid)))
      const { status } = await call(`${service.url}/readyz`)
      const found = { status, unfinished: unfinishedIn(dataDir), runtimes: namesIn(join(dataDir, 'runtime')).length }
      expect({ ...context, ...found, code: await service.stop(), template0: template0(dataDir) }).toEqual({
        ...context,
        ...{ status: 200, unfinished: undefined, runtimes: 1, code: 0, template0: whole },
      })
      const outcome = `${killed.fate}, ${left.length > 0 ? 'with' : 'without'} processes`
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      rmSync(dirname(dataDir), { recursive: true, force: true })
    }
    console.info(JSON.stringify(outcomes))
  }, 3_600_000)
}

test('kill -9 at any moment of the first start: the next start works', async () => {
  const delaysMs = [30, 150, 350, 600, 900]
  await Promise.all(
    delaysMs.map(async (delayMs) => {
      const dataDir = join(newFolder(), 'data')
      const environment = { PORT: '0', ROWHOUSE_DATA_DIR: dataDir }
      expect((await run([], { environment, limitMs: delayMs })).code).toBe('SIGKILL')
      await using service = await startService({ dataDir })
      expect(await setUp(service)).toBeString()
    }),
  )
})
