import type { Page } from 'playwright-core'
import { call, type Service, setupCodeOf, startService } from './executable'
import { shippedPlugins } from './plugins'
import { copyPrepared, type Maker, unclaimed } from './prepared-data'
import { administrator, cookieOf } from './used-data'

type Contents = { token: string; tables: { id: string; name: string }[] }

/** The compiled executable, set up, with the sample data. `token` is the administrator's. */
export type UiService = Service & Contents

export const sampleData: Maker<Contents> = { name: 'sample-data', from: unclaimed, make: setUpWithSample }

/** Tests of pages do not test these limits, which a busy machine would reach. */
const longLimits = { ROWHOUSE_PLUGIN_TIMEOUT: '200s', ROWHOUSE_RENDER_TIMEOUT: '200s' }

/** On a separate data directory; a database of DATABASE_URL is filled first. */
export async function startUi(own: Record<string, string> = {}): Promise<UiService> {
  const environment: Record<string, string> = { ...longLimits, ...own }
  if (environment.DATABASE_URL) {
    const service = await startService({ environment })
    return { ...service, ...(await setUpWithSample(service)) }
  }
  const { dataDir, notes } = await copyPrepared(sampleData)
  return { ...(await startService({ dataDir, environment })), ...notes }
}

async function setUpWithSample({ url, dataDir }: Pick<Service, 'url' | 'dataDir'>): Promise<Contents> {
  const answer = await call(`${url}/auth/setup`, { body: { ...administrator, name: 'Ada Lovelace', code: setupCodeOf(dataDir) } })
  if (answer.status !== 201) throw new Error(`Setting up answered ${answer.status}.`)
  const made = await call(`${url}/auth/tokens`, { cookie: cookieOf(answer), body: { name: 'Nightly import' } })
  const { token } = (await made.json()) as { token: string }
  const sample = await call(`${url}/api/v1/sample-data`, { token, method: 'POST' })
  const { tables } = (await sample.json()) as { tables: Contents['tables'] }
  return { token, tables }
}

/** The same with everything that screenshots should show: the plugins of the repository, and colleagues. */
export async function startShowcase(): Promise<UiService> {
  const service = await startUi({ ROWHOUSE_PLUGINS_DIR: shippedPlugins() })
  const create = async (path: string, body: object) => (await call(`${service.url}/api/v1/${path}`, { token: service.token, body })).json()
  const members: string[] = []
  for (const [name, role] of [
    ['Grace Hopper', 'editor'],
    ['Alan Turing', 'viewer'],
  ]) {
    const email = `${name!.split(' ')[0]!.toLowerCase()}@example.org`
    members.push((await create('users', { email, name, role })).user.id)
  }
  members.push((await create('users', { kind: 'service', name: 'Stock feed', role: 'editor' })).user.id)
  await create('groups', { name: 'Sales', members: members.slice(0, 2) })
  await create('groups', { name: 'Warehouse', members: members.slice(1) })
  await create('groups', { name: 'Trainees' })
  return service
}

/** Signs in with the form, like a person. */
export async function signInByForm(page: Page, url: string, { email, password } = administrator) {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('banner').waitFor()
}

/** Gives the window a session, for tests that do not test the form, and opens the first page. */
export async function signInAt(page: Page, url: string, as = administrator) {
  await takeSession(page, url, as)
  await page.goto(`${url}/`)
  await page.getByRole('banner').waitFor()
}

/** Gives the window a session and opens nothing. */
export async function takeSession(page: Page, url: string, { email, password } = administrator) {
  const answer = await call(`${url}/auth/login`, { body: { email, password } })
  if (answer.status !== 200) throw new Error(`Signing in answered ${answer.status}.`)
  const [name = '', value = ''] = cookieOf(answer).split('=')
  await page.context().addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }])
}
