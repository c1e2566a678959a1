import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The text of the contract, embedded in the executable at build time. */
export const contractText = (): string => readFileSync(join(import.meta.dir, 'rowhouse-plugin.d.ts'), 'utf8')

/** The text of the plugin that `plugins init` writes. */
export const exampleText = (): string => readFileSync(join(import.meta.dir, '../../../plugins/hello/plugin.ts'), 'utf8')
