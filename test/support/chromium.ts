import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { launchOptions } from './browser-server'
import { hangMs } from './processes'

let launching: Promise<Browser> | null = null
let launchingWhole: Promise<Browser> | null = null

/** Debian's Chromium: the one of the whole run (`test/run.ts` sets TEST_BROWSER), or one for this process. */
function browser(): Promise<Browser> {
  const { TEST_BROWSER: address } = process.env
  launching ??= address ? chromium.connect(address) : chromium.launch(launchOptions())
  return launching
}

/** With its PDF viewer, for this process alone. */
function wholeBrowser(): Promise<Browser> {
  launchingWhole ??= chromium.launch(launchOptions(['chromium']))
  return launchingWhole
}

const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 375, height: 800 } } as const

export type VisitOptions = {
  size?: keyof typeof sizes
  scheme?: 'light' | 'dark'
  /** With touch and a phone's browser, which zooms out of a page that is too wide. */
  isMobile?: boolean
  /** The language of the browser, from which the UI chooses its own. */
  language?: string
  /** Twice the pixel density, for screenshots. */
  isSharp?: boolean
  /** In the full Chromium, for its PDF viewer, which the headless one lacks. */
  isWhole?: boolean
  /** The time that the page sees; it does not advance. */
  now?: Date
}

/**
 * A separate window without cookies. `troubles` contains every problem that the page reported, including violations of
 * its policy and requests to other hosts.
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
  // The console reports most violations; this event reports each, with the rule.
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      console.error(`Content-Security-Policy ${violatedDirective}: ${blockedURI} ${sample}`),
    )
  })
  const page = await context.newPage()
  return { page, context, troubles: collectTroubles(page) }
}

/**
 * An error response of the service (404 for a used link) is not a fault of the page, nor is a connection that the test
 * has cut.
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
