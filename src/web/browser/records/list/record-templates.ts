import type { TableView } from '../../../../tables/model'
import type { Template } from '../../api/documents-query'
import { maxUrlLength, toPathSegment } from '../../api/urls'

/** A document about more records would take too long. */
const maxDocumentRecords = 200

/** The path below `/documents/`, in URLs of the UI and of the API. */
export const templatePath = ({ plugin, template }: Template) => `${encodeURIComponent(plugin)}/${encodeURIComponent(template)}`

/** The key in a record's URL as a parameter of a document: the parts of a composite key stay encoded. */
export const documentKey = ({ primaryKey }: TableView, segment: string): string =>
  primaryKey.length > 1 ? toPathSegment(segment) : decodeURIComponent(toPathSegment(segment))

/** The templates for this number of records of a table. */
export function templatesFor(templates: readonly Template[], table: TableView, count = 1): Template[] {
  const isAbout = ({ for: records }: Template) => records && [undefined, table.id].includes(records.table)
  const takesSeveral = ({ params, for: records }: Template) => params?.properties?.[records!.key]?.type === 'array'
  return table.primaryKey.length === 0 ? [] : templates.filter((each) => isAbout(each) && (count === 1 || takesSeveral(each)))
}

/** Also true while the templates are loading, so that an open menu seldom changes. */
export const offersDocument = (templates: readonly Template[] | undefined, table: TableView, count: number): boolean =>
  count <= maxDocumentRecords && (!templates || templatesFor(templates, table, count).length > 0)

/** The parameters that fill these records into a template of `templatesFor`. @param segments of their URLs */
export function recordParameters({ for: records }: Template, table: TableView, segments: readonly string[]): [string, string][] {
  if (!records) return []
  const ofTable: [string, string][] = records.tableParam ? [[records.tableParam, table.id]] : []
  return [...ofTable, ...segments.map((segment): [string, string] => [records.key, documentKey(table, segment)])]
}

/**
 * The URL of a template's page with these records. Many records go into the fragment, which is not sent to a server.
 */
export function documentPath(template: Template, table: TableView, segments: readonly string[]): string {
  const [path, parameters] = [`/documents/${templatePath(template)}`, new URLSearchParams(recordParameters(template, table, segments))]
  const plain = `${path}?${parameters}`
  // The router decodes a fragment, so `~` replaces the percent signs.
  return plain.length > maxUrlLength ? `${path}#${String(parameters).replaceAll('%', '~')}` : plain
}

/** The parameters in the URL of a template's page. */
export const documentParameters = ({ search, hash }: Pick<Location, 'search' | 'hash'>): URLSearchParams =>
  new URLSearchParams(search || hash.slice(1).replaceAll('~', '%'))

/** The title, with the plugin if several templates have the same title. */
export const templateTitle = ({ title, plugin }: Template, all: readonly Template[]): string =>
  all.filter((each) => each.title === title).length > 1 ? `${title} (${plugin})` : title
