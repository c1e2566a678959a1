import { resolve } from 'node:path'
import { packPostgres } from '../../src/build/postgres'
import { packTypesetting } from '../../src/build/typesetting'
import { packWeb } from '../../src/build/web'

/** Ensures that the generated files of `.build/` exist and are current, whether or not a build ran before. */
export async function packGenerated() {
  const root = resolve(import.meta.dir, '../..')
  await Promise.all([packPostgres(root, `${process.platform}-${process.arch}`), packTypesetting(root), packWeb(root)])
}
