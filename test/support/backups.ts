import { spawn } from 'node:child_process'
import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import postgres from 'postgres'
import { type Ended, executable, newFolder, run, type Service } from './executable'
import { isRoot } from './scratch'

/** A folder to which the service's user may also write: commands that root starts become that user. */
export function openFolder(): string {
  const folder = newFolder()
  if (isRoot) chmodSync(folder, 0o777)
  return folder
}

const on = (dataDir: string, more: Record<string, string> = {}) => ({ environment: { ROWHOUSE_DATA_DIR: dataDir, ...more } })

export const backUp = (dataDir: string, file: string, more: string[] = [], environment?: Record<string, string>): Promise<Ended> =>
  run(['backup', file, ...more], on(dataDir, environment))

export const restoreFrom = (file: string, dataDir: string, more: string[] = []): Promise<Ended> =>
  run(['restore', file, ...more], on(dataDir))

export const dryRun = (file: string, more: string[] = []): Promise<Ended> => run(['restore', '--dry-run', file, ...more])

/**
 * Starts a command without waiting for it. `ended` resolves to the exit code or the signal; `said` is its standard
 * error so far, including its progress.
 */
export function launch(args: string[], dataDir: string, more: Record<string, string> = {}) {
  const child = spawn(executable(), args, {
    cwd: newFolder(),
    env: { PATH: process.env.PATH, ROWHOUSE_DATA_DIR: dataDir, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | string>((done) => child.once('exit', (code, signal) => done(code ?? signal ?? 'unknown')))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    said += more
  })
  const errors = new Promise<string>((done) => child.stderr.once('end', () => done(said)))
  const kill = (signal: NodeJS.Signals) => void child.kill(signal)
  return { kill, ended, said: () => said, errors, output: text(child.stdout) }
}

/** Queries PostgreSQL directly, over a separate connection. */
export async function ask<Row extends object>({ dataDir }: Pick<Service, 'dataDir'>, question: string): Promise<Row[]> {
  const sql = postgres({ path: join(dataDir, 'run/.s.PGSQL.5432'), user: 'rowhouse', database: 'rowhouse', max: 1, onnotice: () => {} })
  try {
    return [...(await sql.unsafe<Row[]>(question))]
  } finally {
    await sql.end()
  }
}

/** The objects of a running backup in PostgreSQL: its slot, which retains the log, and its session. */
export async function heldBy(service: Pick<Service, 'dataDir'>): Promise<{ slots: number; sessions: number }> {
  const [row] = await ask<{ slots: number; sessions: number }>(
    service,
    `select (select count(*)::int from pg_replication_slots) as slots,
      (select count(*)::int from pg_stat_activity where backend_type = 'walsender') as sessions`,
  )
  return row!
}

export const isHeld = async (service: Pick<Service, 'dataDir'>): Promise<boolean> => (await heldBy(service)).slots === 1

/** Stops the process that writes checkpoints, for which the start of a backup waits. */
export async function stopCheckpoints(service: Pick<Service, 'dataDir'>) {
  const [row] = await ask<{ pid: number }>(service, `select pid from pg_stat_activity where backend_type = 'checkpointer'`)
  process.kill(row!.pid, 'SIGSTOP')
  return { goOn: () => process.kill(row!.pid, 'SIGCONT') }
}

export const scratchIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.startsWith('rowhouse-scratch-'))

/** Adds backups of other times to the list, as if the schedule had made them. */
export const listAsScheduled = (service: Pick<Service, 'dataDir'>, places: readonly string[]): Promise<object[]> =>
  ask(
    service,
    `insert into rowhouse.backups (id, state, origin, place, bytes, started_at, finished_at) values ${places
      .map((place) => {
        const state = place.endsWith('.unproven') ? 'unproven' : 'proven'
        return `(gen_random_uuid(), '${state}', 'schedule', '${place}', 1, '2020-01-01Z', now() - interval '1 day')`
      })
      .join()}`,
  )

/**
 * Due once, if the installation is older than that, and not again during a test: the next time is half a year from now.
 */
export const yearly = `0 0 1 ${((new Date().getUTCMonth() + 6) % 12) + 1} * UTC`
