import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type DumpSource, pgDump } from '../../src/backup/database-copy/pg-dump'
import { parseNumbers } from '../../src/exact-json'
import { readConfig } from '../../src/ops/settings/config'
import { type Call, call } from './executable'
import { startCluster } from './older-cluster'
import { connectTo } from './older-data'
import { copyPrepared, unclaimed } from './prepared-data'

/** One request to a released version, and its response. `as` is a name of `callers`. */
export type RecordedAnswer = {
  as: string
  path: string
  method?: string
  headers?: Record<string, string>
  body?: unknown
  status: number
  type: string
  /** In base64 unless it is text. */
  answer: string
}

/** The contents of a fixture besides its dump. */
export type Recorded = {
  callers: Record<string, Pick<Call, 'token' | 'cookie'>>
  /** The users who can sign in, with the status of the response. */
  passwords: { email: string; password: string; status: number }[]
  invite: { inviteToken: string; email: string }
  /** The folder of the attachments, in base64. */
  files: Record<string, string>
  answers: RecordedAnswer[]
}

export const fixturePath = (name: string): string => resolve(import.meta.dir, '../fixtures', name)

const read = (name: string) => gunzipSync(readFileSync(fixturePath(name))).toString()

export const readRecorded = (version: string): Recorded => JSON.parse(read(`${version}.json.gz`))

/** A data directory as that version left it, with its schemas in a cluster of the packed PostgreSQL. */
export async function releasedDataDir(version: string): Promise<string> {
  const { dataDir } = await copyPrepared(unclaimed)
  {
    await using server = await startCluster(dataDir)
    const [, create = '', dump = ''] = /^(.*?)\n(.*)$/s.exec(read(`${version}.sql.gz`)) ?? []
    const outside = connectTo(server.socketDir, 'postgres')
    // Text is sorted as in the database of that version.
    for (const statement of ['drop database rowhouse', create]) await outside.unsafe(statement)
    await outside.end()
    const sql = connectTo(server.socketDir, 'rowhouse')
    await sql.unsafe(dump).simple()
    await sql.end()
  }
  const folder = join(dataDir, 'files')
  const { uid, gid } = statSync(folder)
  rmSync(folder, { recursive: true })
  for (const [name, bytes] of Object.entries(readRecorded(version).files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, name), Buffer.from(bytes, 'base64'))
  }
  spawnSync('chown', ['-R', `${uid}:${gid}`, folder])
  return dataDir
}

/** All definitions and rows of the two schemas, as `bun run fixture` writes them. */
export async function dumpOf(dataDir: string): Promise<string> {
  await using server = await startCluster(dataDir)
  return await dumpSchemas({ socketPath: join(server.socketDir, '.s.PGSQL.5432'), user: 'rowhouse', database: 'rowhouse' })
}

export const dumpSchemas = (target: DumpSource['target']): Promise<string> =>
  pgDump(
    { target, config: readConfig({}) },
    ['--schema=rowhouse', '--schema=data', '--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=100'],
    new AbortController().signal,
  )

const isText = (type: string) => /json|^text\//.test(type)

/** Sends the original request again. */
export async function ask(
  url: string,
  { callers }: Pick<Recorded, 'callers'>,
  question: Omit<RecordedAnswer, 'status' | 'type' | 'answer'>,
) {
  const { as, path, method, headers = {}, body } = question
  const answer = await call(url + path, { ...callers[as], method, headers, body })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const type = answer.headers.get('content-type') ?? ''
  return { ...question, status: answer.status, type, answer: bytes.toString(isText(type) ? 'utf8' : 'base64') }
}

/** Values that change with each request in any version. */
const passing = new Set(['lastUsedAt', 'lastSeenAt', 'lastLoginAt', 'requestId'])

/** A comparable value: numbers with all digits, without values that change; other types unchanged. */
export function comparable({ type, answer }: Pick<RecordedAnswer, 'type' | 'answer'>): unknown {
  return type.includes('json') ? withoutPassing(parseNumbers(answer, (_value, source) => ({ number: source }))) : answer
}

function withoutPassing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPassing)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).flatMap(([name, each]) => (passing.has(name) ? [] : [[name, withoutPassing(each)]])))
}
