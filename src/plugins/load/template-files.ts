import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TemplateFiles } from '../../documents/render/job'

const maxTemplateBytes = 32 * 2 ** 20
const maxFiles = 500

/**
 * Reads every file of a template's folder except its code, once, so that the files of a document cannot change while it
 * is made.
 * @throws Error for symbolic links, which could lead out of the folder, and for folders that are too large
 */
export function readTemplateFiles(folder: string): TemplateFiles {
  const files: Record<string, Uint8Array> = {}
  let bytes = 0
  for (const path of pathsBelow(folder)) {
    files[path] = readFileSync(join(folder, path))
    bytes += files[path].byteLength
    if (bytes > maxTemplateBytes || Object.keys(files).length > maxFiles)
      throw new Error(`The folder of the template holds more than ${maxFiles} files, or ${maxTemplateBytes / 2 ** 20} MB.`)
  }
  return toTemplateFiles(files)
}

export function toTemplateFiles(files: TemplateFiles['files']): TemplateFiles {
  const hash = createHash('sha256')
  for (const [path, content] of Object.entries(files)) hash.update(`${path}\0${content.byteLength}\0`).update(content)
  return { hash: hash.digest('hex'), files }
}

export const isTemplateCode = (name: string) => /\.[cm]?[jt]sx?$/.test(name)

function pathsBelow(folder: string, before = ''): string[] {
  return readdirSync(join(folder, before), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = before + entry.name
      if (lstatSync(join(folder, path)).isSymbolicLink()) throw new Error(`${path} is a link; a template's folder holds files only.`)
      if (entry.isDirectory()) return pathsBelow(folder, `${path}/`)
      return entry.isFile() && !isTemplateCode(entry.name) ? [path] : []
    })
}
