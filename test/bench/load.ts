import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { newFolder } from '../support/executable'
import { keyMark, rows } from './client'

export type Request = { url: string; method?: string; headers?: Record<string, string>; body?: string }
export type Measured = { perSecond: number; p50Ms: number; p99Ms: number }

export const inFlight = 16
export const seconds = 3

/** Keeps `inFlight` requests under way for a while, from a process of its own. */
export const measure = (request: Request): Promise<Measured> =>
  Bun.which('wrk') ? withWrk(request) : withOwnClient(['http', JSON.stringify(request)])

/** The reference: one statement through postgres.js, without HTTP. */
export const measureStatement = (socketPath: string, statement: string): Promise<Measured> => withOwnClient(['sql', socketPath, statement])

async function withWrk({ url, method = 'GET', headers = {}, body }: Request): Promise<Measured> {
  const script = join(newFolder(), 'request.lua')
  const some = (text: string) => JSON.stringify(text).replaceAll(keyMark, `" .. math.random(1, ${rows}) .. "`)
  const sent = Object.entries(headers).map(([name, value]) => `["${name}"] = ${some(value)}`)
  const path = some(url.slice(new URL(url).origin.length))
  const parts = [`"${method}"`, path, `{ ${sent.join(', ')} }`, ...(body === undefined ? [] : [some(body)])]
  await Bun.write(script, `request = function() return wrk.format(${parts.join(', ')}) end`)
  const output = await run(['wrk', '-t1', `-c${inFlight}`, `-d${seconds}s`, '--latency', '-s', script, url])
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`Not every request was answered well:\n${output}`)
  const read = (pattern: RegExp) => pattern.exec(output)?.slice(1) ?? []
  const ms = ([amount, unit]: string[]) => Number(amount) * ({ us: 0.001, ms: 1, s: 1000 }[unit ?? ''] ?? Number.NaN)
  return {
    perSecond: Number(read(/Requests\/sec:\s+([\d.]+)/)[0]),
    p50Ms: ms(read(/50%\s+([\d.]+)(us|ms|s)/)),
    p99Ms: ms(read(/99%\s+([\d.]+)(us|ms|s)/)),
  }
}

const withOwnClient = async (args: string[]): Promise<Measured> =>
  JSON.parse(await run(['bun', join(import.meta.dir, 'client.ts'), String(inFlight), String(seconds), ...args])) as Measured

async function run(command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit', timeout: (seconds + 20) * 1000 })
  const output = await text(child.stdout)
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed.\n${output}`)
  return output
}
