import { plugin as extendRuntime } from 'bun'
import type { Plugin } from '../load/load'
import { declaredBy, openDoor } from '../load/sdk'
import { readTemplate } from '../load/template'
import { isTemplateCode, toTemplateFiles } from '../load/template-files'
import { example } from './scaffold'

/** No folder of a plugin has this name: those with an underscore are not plugins. */
const ownName = '_rowhouse'
const templateName = 'record'
const codeModule = 'rowhouse/record-template'

let loading: Promise<Plugin> | undefined

/**
 * The template of the service itself, for records of any table: the one that `plugins init` writes, from the texts
 * in the executable instead of files.
 */
export const ownTemplates = (): Promise<Plugin> =>
  (loading ??= load().catch((error) => {
    loading = undefined
    throw error
  }))

export const isOwnTemplates = (plugin: string): boolean => plugin === ownName

async function load(): Promise<Plugin> {
  const texts = Object.entries(example).flatMap(([path, text]): [string, string][] =>
    path.startsWith(`${templateName}/`) ? [[path.slice(templateName.length + 1), text]] : [],
  )
  const [, contents = ''] = texts.find(([path]) => isTemplateCode(path)) ?? []
  openDoor()
  extendRuntime({
    name: codeModule,
    setup: (build) => void build.module(codeModule, () => ({ contents, loader: 'ts' })),
  })
  // A literal would be resolved at build time.
  const specifier: string = codeModule
  const { default: exported } = (await import(specifier)) as { default: unknown }
  const encoder = new TextEncoder()
  const files = Object.fromEntries(texts.flatMap(([path, text]) => (isTemplateCode(path) ? [] : [[path, encoder.encode(text)]])))
  const template = readTemplate(templateName, declaredBy(exported)!, toTemplateFiles(files))
  return { name: ownName, endpoints: [], templates: [template], settings: { values: {}, secrets: [] }, unloads: [] }
}
