import { chromium } from 'playwright-core'

/** Without its sandbox: that needs rights which root in a container has not. */
export const launchOptions = () => ({
  executablePath: Bun.which('chromium') ?? 'chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})

/** One Chromium for several processes; `address` is what `chromium.connect` takes. */
export async function startBrowserServer(): Promise<{ address: string; stop: () => Promise<void> }> {
  const server = await chromium.launchServer({ ...launchOptions(), host: '127.0.0.1' })
  return { address: server.wsEndpoint(), stop: () => server.close() }
}
