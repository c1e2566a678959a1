import { chromium } from 'playwright-core'

/**
 * Debian's Chromium without a window, which takes half of the processor time of the whole one; it has no viewer for
 * PDF. Without its sandbox: that needs rights which root in a container has not.
 */
export const launchOptions = (program = 'chromium-headless-shell') => ({
  executablePath: Bun.which(program) ?? program,
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})

/** One Chromium for several processes; `address` is what `chromium.connect` takes. */
export async function startBrowserServer(): Promise<{ address: string; stop: () => Promise<void> }> {
  const server = await chromium.launchServer({ ...launchOptions(), host: '127.0.0.1' })
  return { address: server.wsEndpoint(), stop: () => server.close() }
}
