import type { Call } from 'rowhouse/plugin'
import { type DocumentFormat, documentFormats, type TemplateFiles } from '../../documents/render/job'
import { expectedText, isLocalizedText, type LocalizedText } from './localized-text'
import { type Checker, createChecker } from './schemas'
import type { Declared } from './sdk'

/**
 * The records in whose menus the web UI offers a template: those of one table, or those of all, whose id `tableParam`
 * gets. `key` is the parameter for the primary key, or for those of several records if it is a list.
 */
type RecordsOfTemplate = { table: string; key: string } | { tableParam: string; key: string }

/** A document template whose declaration is complete and whose files exist. */
export type PluginTemplate = {
  name: string
  title: LocalizedText
  isPublic: boolean
  params: Checker | undefined
  for: RecordsOfTemplate | null
  allow: (call: Call<unknown, unknown, unknown>) => unknown
  load: (call: Call<unknown, unknown, unknown>) => unknown
  fileName: ((data: unknown) => unknown) | undefined
  /** The main file of each format. */
  formats: Partial<Record<DocumentFormat, string>>
  template: TemplateFiles
}

/** The data would replace a file of this name. */
const dataFile = 'data.json'

const formatNames = Object.keys(documentFormats) as DocumentFormat[]

/** @throws Error that names the missing or wrong part */
export function readTemplate(name: string, { definition }: Declared, template: TemplateFiles): PluginTemplate {
  const fail = (problem: string): never => {
    throw new Error(`The template ${name} ${problem}`)
  }
  const { title = name, public: isPublic, allow, load, fileName, params } = definition
  if (typeof isPublic !== 'boolean') return fail('does not say whether it is public; write "public: true" or "public: false".')
  if (typeof allow !== 'function') return fail('needs the function "allow".')
  if (typeof load !== 'function') return fail('needs the function "load".')
  if (fileName !== undefined && typeof fileName !== 'function') return fail('has a "fileName" that is no function.')
  if (!isLocalizedText(title)) return fail(`needs as "title" ${expectedText}.`)
  const checker = params === undefined ? undefined : checkerOf(params, fail)
  const records = definition.for === undefined ? null : readRecordsOfTemplate(definition.for, checker, fail)
  return {
    name,
    title,
    isPublic,
    params: checker && records ? acceptSingleKey(checker, records.key) : checker,
    for: records,
    allow: allow as PluginTemplate['allow'],
    load: load as PluginTemplate['load'],
    fileName: fileName as PluginTemplate['fileName'],
    formats: readFormats(definition.formats, template, fail),
    template,
  }
}

function checkerOf(schema: unknown, fail: (problem: string) => never): Checker {
  try {
    return createChecker(schema)
  } catch (error) {
    return fail(`has "params" that ${(error as Error).message}.`)
  }
}

function readRecordsOfTemplate(given: unknown, params: Checker | undefined, fail: (problem: string) => never): RecordsOfTemplate {
  const { table, tableParam, key } = Object(given) as Record<string, unknown>
  const names = Object.keys((params?.schema as { properties?: object } | undefined)?.properties ?? {})
  const isParam = (name: unknown): name is string => typeof name === 'string' && names.includes(name)
  if (!isParam(key)) return fail('needs in "for" the parameter that gets the primary key: "key", one of its "params".')
  if (typeof table === 'string' && tableParam === undefined) return { table, key }
  if (table === undefined && isParam(tableParam)) return { tableParam, key }
  return fail('needs in "for" either "table", the name of a table, or "tableParam", one of its "params".')
}

/** A single key counts as a list, also in JSON: links stay valid when a template begins to take several records. */
function acceptSingleKey(checker: Checker, key: string): Checker {
  const isList = (checker.schema as { properties?: Record<string, { type?: unknown }> }).properties?.[key]?.type === 'array'
  const listed = (params: Record<string, unknown>) =>
    params[key] === undefined || Array.isArray(params[key]) ? params : { ...params, [key]: [params[key]] }
  return isList ? { ...checker, read: (given, source) => checker.read(listed(Object(given)), source) } : checker
}

function readFormats(formats: unknown, { files }: TemplateFiles, fail: (problem: string) => never): PluginTemplate['formats'] {
  const given = typeof formats === 'object' && formats !== null ? Object.entries(formats) : []
  if (given.length === 0) fail('needs "formats", for example { pdf: "invoice.typ" }.')
  for (const [format, file] of given) {
    const found = formatNames.find((each) => each === format)
    if (!found) return fail(`has an unknown format; there are ${formatNames.join(', ')}.`)
    const { extension } = documentFormats[found]
    if (typeof file !== 'string' || !file.endsWith(extension)) return fail(`needs a file ${extension} for ${format}.`)
    if (!Object.hasOwn(files, file)) return fail(`names ${file}, which is not in its folder.`)
    if (found === 'pdf' && Object.hasOwn(files, dataFile)) return fail(`has a file ${dataFile}, where Typst finds the data.`)
  }
  return Object.fromEntries(given) as PluginTemplate['formats']
}
