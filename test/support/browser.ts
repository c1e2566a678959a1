import { afterAll } from 'bun:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

let launching: Promise<Browser> | null = null

/** Debian's Chromium, one for the whole run, without its sandbox: that needs rights which root in a container has not. */
function browser(): Promise<Browser> {
  launching ??= chromium.launch({ executablePath: Bun.which('chromium') ?? 'chromium', args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  return launching
}

/** A window of its own, without cookies. `troubles` is everything that the page complained about, refusals of its policy too. */
export type Visit = { page: Page; context: BrowserContext; troubles: string[] }

/** Ends by itself after the file. */
export async function visit(): Promise<Visit> {
  const context = await (await browser()).newContext()
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  const troubles: string[] = []
  page.on('pageerror', ({ message }) => troubles.push(message))
  page.on('console', (message) => {
    // A refusal of the service (404 for a used link) is no fault of the page.
    if (message.type() === 'error' && !/the server responded with a status of/.test(message.text())) troubles.push(message.text())
  })
  return { page, context, troubles }
}

afterAll(async () => {
  await (await launching)?.close()
  launching = null
})
