import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { call, type Service, setupCodeOf, startService } from './executable'
import { administrator, cookieOf } from './used-data'

/** The compiled executable on a database of its own, set up, with the sample data. `token` is the administrator's. */
export type UiService = Service & { token: string; tables: { id: string; name: string }[] }

export async function startUi(environment: Record<string, string> = {}): Promise<UiService> {
  const service = await startService({ environment })
  const answer = await call(`${service.url}/auth/setup`, {
    body: { ...administrator, name: 'Ada Lovelace', code: setupCodeOf(service.dataDir) },
  })
  if (answer.status !== 201) throw new Error(`Setting up answered ${answer.status}.`)
  const made = await call(`${service.url}/auth/tokens`, { cookie: cookieOf(answer), body: { name: 'Nightly import' } })
  const { token } = (await made.json()) as { token: string }
  const sample = await call(`${service.url}/api/v1/sample-data`, { token, method: 'POST' })
  const { tables } = (await sample.json()) as { tables: UiService['tables'] }
  return { ...service, token, tables }
}

/** The same with all that pictures should show: the plugins that come with the sources, and colleagues. */
export async function startShowcase(): Promise<UiService> {
  const service = await startUi({ ROWHOUSE_PLUGINS_DIR: resolve(import.meta.dir, '../../plugins') })
  for (const [name, role] of [
    ['Grace Hopper', 'editor'],
    ['Alan Turing', 'viewer'],
  ]) {
    const email = `${name!.split(' ')[0]!.toLowerCase()}@example.org`
    await call(`${service.url}/api/v1/users`, { token: service.token, body: { email, name, role } })
  }
  return service
}

/** Signs in by the page, as a person does. */
export async function signInAt(page: Page, url: string, { email, password } = administrator) {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('banner').waitFor()
}
