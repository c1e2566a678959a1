import type { TableView } from '../../../../tables/model'
import type { Template } from '../../api/documents-query'
import { maxUrlLength, toPathSegment } from '../../api/urls'

/** A document of more records would take too long. */
const maxDocumentRecords = 200

/** Below `/documents/`, of the pages and of the API. */
export const templatePath = ({ plugin, template }: Template) => `${encodeURIComponent(plugin)}/${encodeURIComponent(template)}`

/** The key in a record's URL as the parameter of a document: a composite one has its parts as in the URL. */
export const documentKey = ({ primaryKey }: TableView, segment: string): string =>
  primaryKey.length > 1 ? toPathSegment(segment) : decodeURIComponent(toPathSegment(segment))

/** The templates that are for so many records of a table. */
export function templatesFor(templates: readonly Template[], table: TableView, count = 1): Template[] {
  const isAbout = ({ for: records }: Template) => records && [undefined, table.id].includes(records.table)
  const takesSeveral = ({ params, for: records }: Template) => params?.properties?.[records!.key]?.type === 'array'
  return table.primaryKey.length === 0 ? [] : templates.filter((each) => isAbout(each) && (count === 1 || takesSeveral(each)))
}

/** Also true while the templates are loading, so that a menu seldom changes while it is open. */
export const offersDocument = (templates: readonly Template[] | undefined, table: TableView, count: number): boolean =>
  count <= maxDocumentRecords && (!templates || templatesFor(templates, table, count).length > 0)

/** The parameters by which a template of `templatesFor` is about these records. @param segments of their URLs */
export function recordParameters({ for: records }: Template, table: TableView, segments: readonly string[]): [string, string][] {
  if (!records) return []
  const ofTable: [string, string][] = records.tableParam ? [[records.tableParam, table.id]] : []
  return [...ofTable, ...segments.map((segment): [string, string] => [records.key, documentKey(table, segment)])]
}

/** The page of a template, with these records filled in: many in the fragment, which is sent to no server. */
export function documentPath(template: Template, table: TableView, segments: readonly string[]): string {
  const [path, parameters] = [`/documents/${templatePath(template)}`, new URLSearchParams(recordParameters(template, table, segments))]
  const plain = `${path}?${parameters}`
  // The router decodes a fragment, so this one has no percent signs.
  return plain.length > maxUrlLength ? `${path}#${String(parameters).replaceAll('%', '~')}` : plain
}

/** The parameters in the URL of a template's page. */
export const documentParameters = ({ search, hash }: Pick<Location, 'search' | 'hash'>): URLSearchParams =>
  new URLSearchParams(search || hash.slice(1).replaceAll('~', '%'))

/** With the plugin where another template has the same title. */
export const templateTitle = ({ title, plugin }: Template, all: readonly Template[]): string =>
  all.filter((each) => each.title === title).length > 1 ? `${title} (${plugin})` : title
