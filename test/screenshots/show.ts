import { openWindow, type Visit } from '../support/chromium'
import { silenceFeed } from '../support/silent-feed'
import type { Screen } from './screens'

type Place = { url: string; cookie?: string; tables?: { id: string; name: string }[] }

/** Opens a screen as it is to be looked at; the caller closes the window. @param cookie of somebody who is signed in */
export async function show(screen: Screen, { url, cookie, tables = [] }: Place, isSharp = false): Promise<Visit> {
  const { size, scheme, language, isStranger, path, act } = screen
  const visit = await openWindow({ size, scheme, language, isSharp })
  await visit.context.addInitScript(silenceFeed)
  const [name = '', value = ''] = cookie?.split('=') ?? []
  if (!isStranger && cookie) await visit.context.addCookies([{ name, value, url }])
  const filled = path.replace(/\{(\w+)\}/g, (_whole, table) => tables.find((each) => each.name === table)?.id ?? table)
  await visit.page.goto(url + filled, { waitUntil: 'networkidle' })
  // On a busy machine the network is idle before the page is drawn; every screen has a heading.
  await visit.page.locator('h1').first().waitFor({ state: 'attached' })
  await act?.(visit.page)
  await visit.page.waitForLoadState('networkidle')
  return visit
}
