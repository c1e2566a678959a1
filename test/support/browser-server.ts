import { chromium } from 'playwright-core'

/**
 * Debian's Chromium; if it is installed, the headless one, which takes half the processor time but has no PDF viewer.
 * Runs without its sandbox, which needs rights that root lacks in a container, and without V8's optimizing compilers,
 * which take an eighth of the processor time for pages that live a few seconds.
 */
export const launchOptions = (programs = ['chromium-headless-shell', 'chromium']) => ({
  executablePath: programs.map((program) => Bun.which(program)).find((path) => path !== null) ?? 'chromium',
  args: [
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--js-flags=--no-opt --no-maglev',
  ],
})

/** One Chromium for several processes; `address` is the argument of `chromium.connect`. */
export async function startBrowserServer(): Promise<{ address: string; stop: () => Promise<void> }> {
  const server = await chromium.launchServer({ ...launchOptions(), host: '127.0.0.1' })
  return { address: server.wsEndpoint(), stop: () => server.close() }
}
