import { resolve } from 'node:path'
import { packPostgres } from '../../src/build/postgres'
import { packTypesetting } from '../../src/build/typesetting'
import { packWeb } from '../../src/build/web'

// The first preload of bunfig.toml: what the sources import from `.build/` is there and up to date, whether or not a build ran before.
const root = resolve(import.meta.dir, '../..')
await packPostgres(root, `${process.platform}-${process.arch}`)
await packTypesetting(root)
await packWeb(root)
