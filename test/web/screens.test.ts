import { afterAll, describe, expect, test } from 'bun:test'
import { firstScreens, screens } from '../screenshots/screens'
import { show } from '../screenshots/show'
import { expectAccessible, expectNoSideways, takeOver } from '../support/browser'
import { call, startService } from '../support/executable'
import { startShowcase } from '../support/ui'
import { administrator, cookieOf } from '../support/used-data'

const [fresh, used] = await Promise.all([startService(), startShowcase()])
const cookie = cookieOf(await call(`${used.url}/auth/login`, { body: administrator }))
afterAll(() => Promise.all([fresh.stop(), used.stop()]))

const all = [
  ...firstScreens.map((screen) => ({ screen, place: fresh })),
  ...screens.map((screen) => ({ screen, place: { ...used, cookie } })),
]

describe.each(all.map(({ screen, place }) => [screen.name, screen, place] as const))('the screen %s', (_name, screen, place) => {
  test('can be used by everybody, in both themes, and complains of nothing', async () => {
    const { page } = takeOver(await show(screen, place))
    await expectAccessible(page)
    await expectNoSideways(page)
  })
})

describe.each(['/', '/settings/account', '/sign-in'])('%s', (path) => {
  test.each([320, 1280, 3840])('fits a window %p wide', async (width) => {
    const { page } = takeOver(await show({ name: path, path, isStranger: path === '/sign-in' }, { ...used, cookie }))
    await page.setViewportSize({ width, height: 800 })
    await expectNoSideways(page)
    await page.getByRole('heading', { level: 1 }).waitFor()
  })
})

test('the sample is enough for the invoice that comes with the sources', async () => {
  const page = (format: string) => call(`${used.url}/api/v1/documents/invoice/invoice?order=2&format=${format}`, { token: used.token })
  const html = await (await page('html')).text()
  expect(html).toContain('Invoice 2026-002')
  expect(html).toContain('1102.00')
  expect(html).toContain('data:image/png;base64,')
  const pdf = await page('pdf')
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
})
