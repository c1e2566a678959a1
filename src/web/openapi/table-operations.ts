import { columnSchema, mustBeSent, readableColumns, sendableColumns } from '../../records/column-schema'
import { inQuotes } from '../../records/query/parse/pairs'
import type { Tables } from '../../tables/catalog/catalog'
import type { Column, Table, TableRights } from '../../tables/model'
import { componentName, pathReference } from './table-names'

type RecordOperation = { parameters?: { name: string; in: string }[]; requestBody?: object; responses?: Record<string, object> }
export type RecordPaths = Record<string, Record<string, RecordOperation>>

type Need = 'read' | 'create' | 'update' | 'delete'
type Kind = { path: '' | '/{pk}'; method: string; verb: string; needs: Need[]; body?: 'Create' | 'Update'; isFiltered?: true }

/** The routes of records as in `records/native/routes.ts`, with a verb for each and the rights that it needs. */
const kinds: Kind[] = [
  { path: '', method: 'get', verb: 'list', needs: ['read'], isFiltered: true },
  { path: '', method: 'post', verb: 'create', needs: ['create'], body: 'Create' },
  { path: '', method: 'patch', verb: 'updateMany', needs: ['update'], body: 'Update', isFiltered: true },
  { path: '', method: 'delete', verb: 'deleteMany', needs: ['delete'], isFiltered: true },
  { path: '/{pk}', method: 'get', verb: 'read', needs: ['read'] },
  { path: '/{pk}', method: 'patch', verb: 'update', needs: ['update'], body: 'Update' },
  { path: '/{pk}', method: 'put', verb: 'replace', needs: ['create', 'update'], body: 'Create' },
  { path: '/{pk}', method: 'delete', verb: 'delete', needs: ['delete'] },
]

const routePath = '/api/v1/tables/{tableId}/records'

/** Private-use characters mark the places in a template for the parts of a table. */
const marks = { name: '\ue000', tag: '\ue001', filters: '\ue002' }

export type Templates = { operations: (Kind & { text: string })[]; parameters: Record<string, object> }

/** The operations of the routes of records, as JSON with gaps for one table; their parameters become components. */
export function operationTemplates(paths: RecordPaths): Templates {
  const parameters: Record<string, object> = {}
  const refer = (parameter: { name: string }) => {
    const name = `records.${parameter.name}`
    parameters[name] = parameter
    return { $ref: `#/components/parameters/${name}` }
  }
  const operations = kinds.map((kind) => {
    const operation = paths[routePath + kind.path]![kind.method]!
    const shared = (operation.parameters ?? []).filter(({ name }) => name !== 'tableId').map(refer)
    const { 'x-needs': _, ...rest } = operation as RecordOperation & { 'x-needs'?: unknown }
    const text = JSON.stringify({
      ...rest,
      operationId: `${kind.verb}_${marks.name}`,
      tags: [marks.tag],
      parameters: kind.isFiltered ? [...shared, marks.filters] : shared,
      ...(kind.body ? { requestBody: ofTable(operation.requestBody!, kind.body) } : {}),
      responses: ofTable(withoutFailures(operation.responses!), 'Record'),
    })
    return { ...kind, text }
  })
  return { operations, parameters }
}

const ofTable = (value: object, model: string): object =>
  JSON.parse(JSON.stringify(value).replaceAll('"#/components/schemas/Record"', `"#/components/schemas/${marks.name}.${model}"`))

/** All failures have one form, and the operation of the route lists them: here `default` is enough. */
const withoutFailures = (responses: Record<string, object>): Record<string, object> =>
  Object.fromEntries(Object.entries(responses).filter(([status]) => Number(status) < 400 || status === 'default'))

export const filterSchema = {
  type: 'string',
  description: 'A filter: an operator and a value, as `eq.open`, `gte.18` or `is.null`.',
}

type TablePart = { tag: string; paths: string[]; schemas: string[] }

/** The description of one table, as pieces of JSON. Null for a table to which the caller has no rights. */
export function describeRecordsOf({ operations }: Templates, table: Table, tables: Tables, can: TableRights): TablePart | null {
  const allowed = operations.filter(({ path, needs }) => needs.every((need) => can[need]) && (path === '' || table.primaryKey.length > 0))
  if (allowed.length === 0) return null
  const reference = pathReference(table, tables.schemas)
  const name = componentName(reference, table.id)
  const tag = `tables/${reference}`
  const filters = readableColumns(table)
    .map((column) => `,${JSON.stringify(filterOf(column))}`)
    .join('')
  const fill = (text: string) =>
    text.replace(gaps, (gap) => (gap === marks.name ? name : gap.includes(marks.tag) ? JSON.stringify(tag) : filters))
  const pathOf = (path: string) => {
    const methods = allowed.filter((operation) => operation.path === path).map(({ method, text }) => `"${method}":${fill(text)}`)
    const address = `/api/v1/tables/${encodeURIComponent(reference)}/records${path}`
    return methods.length > 0 ? [`${JSON.stringify(address)}:{${methods.join()}}`] : []
  }
  return {
    tag: JSON.stringify({ name: tag, description: `Records of the table \`${table.name}\`.` }),
    paths: [...pathOf(''), ...pathOf('/{pk}')],
    schemas: schemasOf(table, tables, can).map(([model, schema]) => `"${name}.${model}":${JSON.stringify(schema)}`),
  }
}

const gaps = new RegExp(`${marks.name}|"${marks.tag}"|,"${marks.filters}"`, 'g')

const plainName = /^[A-Za-z0-9_]+$/
/** Words that are names of columns only in quotes. */
const reserved = /^(and|or|not|order|limit|offset|select|columns|on_conflict|cursor|q|count|maxAffected|dryRun|token)$/

const filterOf = ({ name }: Column) => ({
  name: plainName.test(name) && !reserved.test(name) ? name : inQuotes(name),
  in: 'query',
  schema: { $ref: '#/components/schemas/ColumnFilter' },
})

function schemasOf(table: Table, tables: Tables, can: TableRights): [string, object][] {
  const properties = (columns: Column[]) => Object.fromEntries(columns.map((column) => [column.name, columnSchema(table, column, tables)]))
  const sent = (action: 'create' | 'update'): [string, object][] => {
    const columns = sendableColumns(table, action)
    const required = action === 'create' ? columns.filter(mustBeSent).map(({ name }) => name) : []
    const model = action === 'create' ? 'Create' : 'Update'
    return [
      [model, { type: 'object', ...(required.length ? { required } : {}), properties: properties(columns), additionalProperties: false }],
    ]
  }
  return [
    ['Record', { type: 'object', properties: properties(readableColumns(table)) }],
    ...(can.create ? sent('create') : []),
    ...(can.update ? sent('update') : []),
  ]
}
