import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { launchOptions } from './browser-server'
import { hangMs } from './processes'

let launching: Promise<Browser> | null = null
let launchingWhole: Promise<Browser> | null = null

/** Debian's Chromium: that of the whole run (`test/run.ts` sets TEST_BROWSER), or one for this process. */
function browser(): Promise<Browser> {
  const { TEST_BROWSER: address } = process.env
  launching ??= address ? chromium.connect(address) : chromium.launch(launchOptions())
  return launching
}

/** With its viewer for PDF, for this process alone. */
function wholeBrowser(): Promise<Browser> {
  launchingWhole ??= chromium.launch(launchOptions(['chromium']))
  return launchingWhole
}

const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 375, height: 800 } } as const

export type VisitOptions = {
  size?: keyof typeof sizes
  scheme?: 'light' | 'dark'
  /** With fingers, and with the browser of a phone: a page that is too wide is zoomed out. */
  isMobile?: boolean
  /** Of the browser; the UI chooses its own by it. */
  language?: string
  /** Twice the dots, for pictures. */
  isSharp?: boolean
  /** In the whole Chromium, for what the one without a window has not: its viewer for PDF. */
  isWhole?: boolean
  /** What the page takes for the time; it does not go on. */
  now?: Date
}

/**
 * A window of its own, without cookies. `troubles` is everything that the page complained about, refusals of its policy
 * and calls to other hosts too.
 */
export type Visit = { page: Page; context: BrowserContext; troubles: string[] }

export async function openWindow({
  size = 'desktop',
  scheme = 'light',
  language = 'en-GB',
  isSharp,
  isMobile = false,
  isWhole,
  now,
}: VisitOptions = {}): Promise<Visit> {
  const context = await (await (isWhole ? wholeBrowser() : browser())).newContext({
    viewport: sizes[size],
    colorScheme: scheme,
    locale: language,
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    isMobile,
    hasTouch: isMobile,
    deviceScaleFactor: isSharp ? 2 : 1,
  })
  context.setDefaultTimeout(hangMs)
  if (now) await context.clock.setFixedTime(now)
  // The console tells of most refusals; this one tells of each, with the rule.
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      console.error(`Content-Security-Policy ${violatedDirective}: ${blockedURI} ${sample}`),
    )
  })
  const page = await context.newPage()
  return { page, context, troubles: collectTroubles(page) }
}

/**
 * A refusal of the service (404 for a used link) is no fault of the page, nor is a connection that the test has cut.
 */
const noFault = /the server responded with a status of|net::ERR_INTERNET_DISCONNECTED/

function collectTroubles(page: Page): string[] {
  const troubles: string[] = []
  page.on('pageerror', ({ message }) => troubles.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !noFault.test(message.text())) troubles.push(message.text())
  })
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (/^(https?|wss?):$/.test(protocol) && hostname !== '127.0.0.1') troubles.push(`Asked ${hostname} for something.`)
  })
  return troubles
}

export async function closeBrowser() {
  await Promise.all([launching, launchingWhole].map(async (each) => (await each)?.close()))
  launching = launchingWhole = null
}
