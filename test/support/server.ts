import { afterAll } from 'bun:test'
import { attachTestServer, startTestServer, type TestServer } from './test-server'

let starting: Promise<TestServer> | null = null

/** The server of the whole run (`test/run.ts` sets TEST_SERVER), or one for this process if a file is run by itself. */
export function testServer(): Promise<TestServer> {
  const { TEST_SERVER: address } = process.env
  starting ??= address ? Promise.resolve(attachTestServer(address)) : startTestServer()
  return starting
}

// This file is a preload of bunfig.toml, so this runs once, after the last test of the last file.
afterAll(async () => {
  await (await starting)?.stop()
})
