import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { databaseName, roleName } from '../../src/db/embedded/cluster'
import { newFolder } from '../support/executable'
import { ageMark, cursorMark, keyMark, maxAge } from './client'
import { percentiles } from './percentiles'

/**
 * The marks of `client.ts` in the URL, a header or the body become random in each request: a key from 1 to `keys`, an
 * age, one of `cursors`.
 */
export type Request = {
  url: string
  method?: string
  headers?: Record<string, string>
  body?: string
  keys?: number
  cursors?: string[]
}
/** A prepared statement with one parameter, a random key from 1 to `keys`. */
export type Statement = { socketPath: string; statement: string; keys: number }
/** `cpuMs` is the processor time of the process that answers, for one request. */
export type Measured = { perSecond: number; p50Ms: number; p99Ms: number; cpuMs?: number }

export const inFlight = 16
export const seconds = 3
/**
 * Compilers at run time forget within a minute what is not called, so whoever has waited for its turn begins slowly.
 */
const warmUpSeconds = 1
/** For what was under way when its sender left: sixteen passwords are hashed to their end. */
const settlingMs = 500

/** Keeps `inFlight` requests under way for a while, from a process of its own; the first second counts for nobody. */
/** @param pid of the process that answers, if its processor time is to be measured, too (Linux only) */
export async function measure(request: Request, pid?: number): Promise<Measured> {
  await load(request, warmUpSeconds)
  await Bun.sleep(settlingMs)
  const before = pid && processorMs(pid)
  const measured = await load(request, seconds)
  if (before === undefined || before === null || !pid) return measured
  return { ...measured, cpuMs: (processorMs(pid)! - before) / (measured.perSecond * seconds) }
}

const tickMs = 10

/** User and system time of a process (proc_pid_stat(5)); null where there is no /proc. */
function processorMs(pid: number): number | null {
  if (!existsSync(`/proc/${pid}/stat`)) return null
  // The name, which stands in parentheses, may hold blanks.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

const load = (request: Request, forSeconds: number): Promise<Measured> =>
  Bun.which('wrk') ? withWrk(request, forSeconds) : withOwnClient('http', JSON.stringify(request), forSeconds)

/** The reference: one statement through postgres.js, without HTTP. */
export const measureStatement = (statement: Statement): Promise<Measured> => withOwnClient('sql', JSON.stringify(statement), seconds)

/**
 * What PostgreSQL itself can do: the statement by its own load generator. `$1` is the key. pgbench has to be on the
 * PATH.
 */
export async function measureWithPgbench({ socketPath, statement, keys }: Statement): Promise<Measured> {
  const [folder, log] = [newFolder(), 'latencies']
  await Bun.write(join(folder, 'script.sql'), `\\set key random(1, ${keys})\n${statement.replaceAll('$1', ':key')};\n`)
  const socketDir = join(socketPath, '..')
  const output = await run(
    [
      ...['pgbench', '--no-vacuum', '--protocol=prepared', `--client=${inFlight}`, '--jobs=1', `--time=${seconds}`, '--file=script.sql'],
      ...['--log', `--log-prefix=${log}`, '--sampling-rate=0.1', '-h', socketDir, '-U', roleName, databaseName],
    ],
    folder,
  )
  const durations: number[] = []
  for await (const name of new Bun.Glob(`${log}.*`).scan(folder)) {
    const lines = (await Bun.file(join(folder, name)).text()).trimEnd().split('\n')
    // The third column is the transaction's time in microseconds.
    for (const line of lines) durations.push(Number(line.split(' ')[2]) / 1000)
  }
  return { perSecond: Number(/^tps = ([\d.]+)/m.exec(output)?.[1]), ...percentiles(durations) }
}

async function withWrk(
  { url, method = 'GET', headers = {}, body, keys = 1, cursors = [] }: Request,
  forSeconds: number,
): Promise<Measured> {
  const script = join(newFolder(), 'request.lua')
  const some = (text: string) =>
    JSON.stringify(text)
      .replaceAll(keyMark, `" .. math.random(1, ${keys}) .. "`)
      .replaceAll(ageMark, `" .. math.random(1, ${maxAge}) .. "`)
      .replaceAll(cursorMark, '" .. cursors[math.random(1, #cursors)] .. "')
  const sent = Object.entries(headers).map(([name, value]) => `["${name}"] = ${some(value)}`)
  const path = some(url.slice(new URL(url).origin.length))
  const parts = [`"${method}"`, path, `{ ${sent.join(', ')} }`, ...(body === undefined ? [] : [some(body)])]
  // Without a seed of its own each run would ask for the same keys again.
  const begin = `math.randomseed(${Date.now()})\ncursors = { ${cursors.map((cursor) => JSON.stringify(cursor)).join(', ')} }`
  await Bun.write(script, `${begin}\nrequest = function() return wrk.format(${parts.join(', ')}) end`)
  const output = await run(['wrk', '-t1', `-c${inFlight}`, `-d${forSeconds}s`, '--latency', '-s', script, url])
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`Not every request was answered well:\n${output}`)
  const read = (pattern: RegExp) => pattern.exec(output)?.slice(1) ?? []
  const ms = ([amount, unit]: string[]) => Number(amount) * ({ us: 0.001, ms: 1, s: 1000 }[unit ?? ''] ?? Number.NaN)
  return {
    perSecond: Number(read(/Requests\/sec:\s+([\d.]+)/)[0]),
    p50Ms: ms(read(/50%\s+([\d.]+)(us|ms|s)/)),
    p99Ms: ms(read(/99%\s+([\d.]+)(us|ms|s)/)),
  }
}

const withOwnClient = async (kind: 'http' | 'sql', task: string, forSeconds: number): Promise<Measured> =>
  JSON.parse(await run(['bun', join(import.meta.dir, 'client.ts'), String(inFlight), String(forSeconds), kind, task])) as Measured

async function run(command: string[], cwd?: string): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'inherit', timeout: (seconds + 20) * 1000 })
  const output = await text(child.stdout)
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed.\n${output}`)
  return output
}
