import { call, type Service, type StartOptions, setupCodeOf, startService } from './executable'
import { copyPrepared, type Maker, unclaimed } from './prepared-data'

export const administrator = { email: 'ada@example.org', password: 'correct horse battery' }
const table = {
  name: 'items',
  columns: [
    { name: 'number', type: 'bigint' },
    { name: 'note', type: 'text' },
  ],
}

/** A data directory as left by an earlier run: set up, with the table `items` and an API token of the administrator. */
type Used = { dataDir: string; token: string }

export const used: Maker<{ token: string }> = { name: 'used', from: unclaimed, make: async (service) => ({ token: await setUp(service) }) }

export async function usedDataDir(): Promise<Used> {
  const { dataDir, notes } = await copyPrepared(used)
  return { dataDir, token: notes.token }
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

/** The cookie that a browser would send back. */
export const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
