import { chromium } from 'playwright-core'

/**
 * Debian's Chromium, the one without a window where it is installed: it takes half of the processor time of the whole
 * one, and has no viewer for PDF. Without its sandbox: that needs rights which root in a container has not. Without
 * V8's optimizing compilers, which take an eighth of the processor time of pages that live for a few seconds.
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

/** One Chromium for several processes; `address` is what `chromium.connect` takes. */
export async function startBrowserServer(): Promise<{ address: string; stop: () => Promise<void> }> {
  const server = await chromium.launchServer({ ...launchOptions(), host: '127.0.0.1' })
  return { address: server.wsEndpoint(), stop: () => server.close() }
}
