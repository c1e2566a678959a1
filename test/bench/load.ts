import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { databaseName, roleName } from '../../src/db/embedded/cluster'
import { newFolder } from '../support/executable'
import { keyMark } from './client'
import { percentiles } from './percentiles'

/** `keyMark` in the address, a header or the body becomes a random key from 1 to `keys`, another one in each request. */
export type Request = { url: string; method?: string; headers?: Record<string, string>; body?: string; keys?: number }
/** A prepared statement with one parameter, a random key from 1 to `keys`. */
export type Statement = { socketPath: string; statement: string; keys: number }
export type Measured = { perSecond: number; p50Ms: number; p99Ms: number }

export const inFlight = 16
export const seconds = 3
/** Compilers at run time forget within a minute what is not called, so whoever has waited for its turn begins slowly. */
const warmUpSeconds = 1
/** For what was under way when its sender left: sixteen passwords are hashed to their end. */
const settlingMs = 500

/** Keeps `inFlight` requests under way for a while, from a process of its own; the first second counts for nobody. */
export async function measure(request: Request): Promise<Measured> {
  await load(request, warmUpSeconds)
  await Bun.sleep(settlingMs)
  return load(request, seconds)
}

const load = (request: Request, forSeconds: number): Promise<Measured> =>
  Bun.which('wrk') ? withWrk(request, forSeconds) : withOwnClient('http', JSON.stringify(request), forSeconds)

/** The reference: one statement through postgres.js, without HTTP. */
export const measureStatement = (statement: Statement): Promise<Measured> => withOwnClient('sql', JSON.stringify(statement), seconds)

/** What PostgreSQL itself can do: the statement by its own load generator. `$1` is the key. pgbench has to be on the PATH. */
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

async function withWrk({ url, method = 'GET', headers = {}, body, keys = 1 }: Request, forSeconds: number): Promise<Measured> {
  const script = join(newFolder(), 'request.lua')
  const some = (text: string) => JSON.stringify(text).replaceAll(keyMark, `" .. math.random(1, ${keys}) .. "`)
  const sent = Object.entries(headers).map(([name, value]) => `["${name}"] = ${some(value)}`)
  const path = some(url.slice(new URL(url).origin.length))
  const parts = [`"${method}"`, path, `{ ${sent.join(', ')} }`, ...(body === undefined ? [] : [some(body)])]
  await Bun.write(script, `request = function() return wrk.format(${parts.join(', ')}) end`)
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
