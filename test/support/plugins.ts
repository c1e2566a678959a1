import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { newFolder } from './executable'

/** A plugins directory with these files: text by path. */
export function pluginsWith(files: Record<string, string>, folder = join(newFolder(), 'plugins')): string {
  mkdirSync(folder, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return folder
}

/** A plugin of endpoints, each as the text of its declaration. */
export const endpoints = (...declarations: string[]): string =>
  `import { endpoint, failure, t } from 'rowhouse/plugin'\nexport default [\n${declarations.map((text) => `endpoint(${text}),`).join('\n')}\n]\n`

/**
 * A copy of the plugins that come with the sources, in a folder from which they can be loaded, wherever the sources
 * are.
 */
export function shippedPlugins(): string {
  const folder = join(newFolder(), 'plugins')
  cpSync(resolve(import.meta.dir, '../../plugins'), folder, { recursive: true })
  return folder
}
