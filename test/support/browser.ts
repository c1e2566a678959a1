import { afterAll, afterEach, expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Download, Page } from 'playwright-core'
import { closeBrowser, openWindow, type Visit, type VisitOptions } from './chromium'
import { newFolder } from './executable'

const open = new Set<Visit>()

/** A window for one test. It closes with the test, which fails if the page reported a problem. */
export const visit = async (options: VisitOptions = {}): Promise<Visit> => takeOver(await openWindow(options))

/** The same for a window that something else has opened. */
export function takeOver(made: Visit): Visit {
  open.add(made)
  return made
}

afterEach(async () => {
  const ended = [...open]
  open.clear()
  await Promise.all(ended.map(({ context }) => closeWindow(context)))
  expect(ended.flatMap(({ troubles }) => troubles)).toEqual([])
})

/** A request that a test holds back may get its response only now that its window is closed. */
async function closeWindow(context: BrowserContext) {
  await Promise.all([context, ...context.pages()].map((each) => each.unrouteAll({ behavior: 'ignoreErrors' })))
  await context.close()
}

afterAll(closeBrowser)

/** The bytes of a download. Read from a copy, since the browser may belong to another process. */
export async function savedText(download: Download): Promise<string> {
  const path = join(newFolder(), 'download')
  await download.saveAs(path)
  return readFileSync(path, 'utf8')
}

/** The minified version: the other one would be 1.5 MB to send to each page and to parse there. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

type Axe = {
  run: (root: Document, options: object) => Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>
}

/** The rules of axe whose answer depends on the theme. */
const rulesOfColour = ['color-contrast', 'link-in-text-block']

/**
 * Checks the current page against WCAG 2.2 A and AA: all rules in the light theme, and those about colours also in the
 * dark one.
 * @param exceptions rules of axe to skip
 */
export async function expectAccessible(page: Page, exceptions: readonly string[] = []) {
  await page.evaluate(axeSource)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.waitForFunction((scheme) => {
      // A page without scripts follows the system at once.
      if (document.scripts.length === 0) return matchMedia(`(prefers-color-scheme: ${scheme})`).matches
      const { dataset, classList } = document.documentElement
      return (dataset.mantineColorScheme ?? (classList.contains('dark-mode') ? 'dark' : 'light')) === scheme
    }, colorScheme)
    const found = await page.evaluate(
      async ([only, left]) => {
        const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
        // Not a rule of WCAG: axe reports a menu that is drawn over the page as content outside of landmarks.
        const rules = Object.fromEntries(['region', ...left].map((id) => [id, { enabled: false }]))
        const runOnly = only ? { type: 'rule', values: only } : { type: 'tag', values: tags }
        // Computing selectors for passing elements would take longer than the rules.
        const options = { runOnly, resultTypes: ['violations'], ...(only ? {} : { rules }) }
        const { violations } = await (window as unknown as { axe: Axe }).axe.run(document, options)
        return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`) }))
      },
      [colorScheme === 'dark' ? rulesOfColour : null, exceptions] as const,
    )
    expect({ colorScheme, found }).toEqual({ colorScheme, found: [] })
  }
}

/** Nothing is wider than the window: readers on a phone scroll in one direction only (WCAG 1.4.10). */
export async function expectNoSideways(page: Page) {
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(wider).toBe(0)
}
