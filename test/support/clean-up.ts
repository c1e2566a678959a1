import { afterAll } from 'bun:test'
import { cleanUp } from './executable'

// bunfig.toml preloads this file, so this runs once, behind the last test of the last file.
afterAll(cleanUp)
