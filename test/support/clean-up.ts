import { afterAll } from 'bun:test'
import { cleanUp } from './executable'

// bunfig.toml preloads this file, so this runs once, after the last test of the last file. Hundreds of data directories
// take a while on a busy disk.
afterAll(cleanUp, 300_000)

// `test/run.ts` was interrupted.
process.once('SIGTERM', () => {
  cleanUp()
  process.exit(143)
})
