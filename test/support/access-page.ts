import type { Page } from 'playwright-core'
import type { NewAccessRule } from '../../src/access/model'
import { visit } from './browser'
import type { VisitOptions } from './chromium'
import { call } from './executable'
import { startUi, takeSession, type UiService } from './ui'

const password = 'a quiet little harbour'

export const [grace, bob, eve] = ['grace', 'bob', 'eve'].map((name) => ({ email: `${name}@example.org`, password })) as [
  { email: string; password: string },
  { email: string; password: string },
  { email: string; password: string },
]

export type AccessService = UiService & {
  ids: Record<'grace' | 'bob' | 'eve', string>
  setRules: (rules: NewAccessRule[]) => Promise<void>
}

/** The executable with the sample data, two editors, a viewer, and a table `deals` with a record of each editor. */
export async function startWithDeals(): Promise<AccessService> {
  const service = await startUi()
  const { url, token } = service
  const send = async (path: string, body: object, method?: string) => {
    const answer = await call(url + path, { token, body, ...(method ? { method } : {}) })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const add = async (email: string, name: string, role: string): Promise<string> =>
    ((await send('/api/v1/users', { email, name, role, password })) as { user: { id: string } }).user.id
  const ids = {
    grace: await add(grace.email, 'Grace Hopper', 'editor'),
    bob: await add(bob.email, 'Bob Ross', 'editor'),
    eve: await add(eve.email, 'Eve Adams', 'viewer'),
  }
  await send('/api/v1/tables', {
    name: 'deals',
    columns: [
      { name: 'title', type: 'text' },
      { name: 'owner', type: 'user' },
      { name: 'amount', type: 'integer' },
      { name: 'margin', type: 'integer' },
    ],
  })
  await send('/api/v1/tables/deals/records', [
    { title: 'Harbour lights', owner: ids.grace, amount: 10, margin: 3 },
    { title: 'Town hall', owner: ids.bob, amount: 20, margin: 4 },
    { title: 'Of nobody', amount: 30, margin: 5 },
  ])
  const setRules = async (rules: NewAccessRule[]) => void (await send('/api/v1/access', { rules }, 'PUT'))
  return { ...service, ids, setRules }
}

/** Opens a path as the administrator, or as someone else. */
export async function openAs(
  { url }: AccessService,
  path: string,
  { as, ...options }: VisitOptions & { as?: typeof grace } = {},
): Promise<Page> {
  const { page } = await visit(options)
  await takeSession(page, url, as)
  await page.goto(url + path)
  return page
}

export async function openAccess(service: AccessService, options: VisitOptions = {}): Promise<Page> {
  const page = await openAs(service, '/settings/access', options)
  await page.getByRole('grid', { name: 'Groups and tables' }).waitFor()
  return page
}

/** A cell of the matrix. */
export const matrixCell = (page: Page, group: string, table: string) =>
  page.getByRole('button', { name: new RegExp(`^${group}, ${table}: `) })
