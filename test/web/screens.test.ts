import { afterAll, describe, expect, test } from 'bun:test'
import { firstScreens, screens } from '../screenshots/screens'
import { show } from '../screenshots/show'
import { expectAccessible, expectNoSideways, takeOver } from '../support/browser'
import { isDrilling } from '../support/drill'
import { call, startService } from '../support/executable'
import { startShowcase } from '../support/ui'
import { administrator, cookieOf } from '../support/used-data'

const [fresh, used] = await Promise.all([startService(), startShowcase()])
const cookie = cookieOf(await call(`${used.url}/auth/login`, { body: administrator }))
afterAll(() => Promise.all([fresh.stop(), used.stop()]))

/** What differs by its colours alone fits as its light form does. */
const isDark = ({ size, language, scheme, name }: (typeof screens)[number]) =>
  scheme === 'dark' && !size && !language && screens.some((screen) => `${screen.name}-dark` === name)

const all = [
  ...firstScreens.map((screen) => ({ screen, place: fresh })),
  ...screens.map((screen) => ({ screen, place: { ...used, cookie } })),
].filter(({ screen }) => isDrilling || !isDark(screen))

/** The same states on a phone, in German and in dark: axe checks those in drills, since it takes 1.5 s of processor time. */
const isVariant = ({ size, language, scheme }: (typeof screens)[number]) => Boolean(size ?? language ?? scheme)

test.each(all.map(({ screen, place }) => [screen.name, screen, place] as const))(
  'the screen %s is accessible, fits its window and logs no error',
  async (_name, screen, place) => {
    const { page } = takeOver(await show(screen, place))
    if (isDrilling || !isVariant(screen)) await expectAccessible(page)
    await expectNoSideways(page)
  },
)

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
  expect(html).toContain('1,102.00')
  expect(html).toContain('data:image/png;base64,')
  const pdf = await page('pdf')
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
})
