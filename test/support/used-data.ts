import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { call, newFolder, type Service, type StartOptions, setupCodeOf, startService } from './executable'

export const administrator = { email: 'ada@example.org', password: 'correct horse battery' }
const table = {
  name: 'items',
  columns: [
    { name: 'number', type: 'bigint' },
    { name: 'note', type: 'text' },
  ],
}

/** A data directory as an earlier run leaves it: set up, with the table `items` and an API token of the administrator. */
type Used = { dataDir: string; token: string }

let made: Promise<Used> | null = null

/** Made once with the executable, then copied: a copy is a directory that was moved. */
export async function usedDataDir(): Promise<Used> {
  made ??= make()
  const { dataDir, token } = await made
  const copy = join(newFolder(), 'data')
  const { status, stderr } = spawnSync('cp', ['-a', dataDir, copy], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return { dataDir: copy, token }
}

async function make(): Promise<Used> {
  await using service = await startService()
  const token = await setUp(service)
  return { dataDir: service.dataDir, token }
}

/** @returns an API token of the administrator */
export async function setUp({ url, dataDir }: Pick<Service, 'url' | 'dataDir'>): Promise<string> {
  const done = await call(`${url}/auth/setup`, { body: { ...administrator, code: setupCodeOf(dataDir) } })
  if (done.status !== 201) throw new Error(`Setting up answered ${done.status}: ${await done.text()}`)
  const cookie = cookieOf(done)
  const created = await call(`${url}/auth/tokens`, { cookie, body: { name: 'test' } })
  const { token } = (await created.json()) as { token: string }
  const answer = await call(`${url}/api/v1/tables`, { token, body: table })
  if (answer.status !== 201) throw new Error(`Making the table answered ${answer.status}: ${await answer.text()}`)
  return token
}

/** The service on a copy of that directory. */
export async function startUsed(options: StartOptions = {}): Promise<Service & { token: string }> {
  const { dataDir, token } = await usedDataDir()
  return { ...(await startService({ ...options, dataDir })), token }
}

/** What a browser would send back. */
export const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
