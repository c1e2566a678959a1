import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The text of the contract, embedded in the executable at build time. */
export const contractText = (): string => readFileSync(join(import.meta.dir, 'rowhouse-plugin.d.ts'), 'utf8')

const exampleFolder = join(import.meta.dir, '../../../plugins/hello')
const exampleFiles = ['plugin.ts', 'record/template.ts', 'record/record.typ', 'record/record.liquid']

/** The files of the plugin that `plugins init` writes: the text by the path. */
export const exampleTexts = (): Record<string, string> =>
  Object.fromEntries(exampleFiles.map((path) => [path, readFileSync(join(exampleFolder, path), 'utf8')]))
