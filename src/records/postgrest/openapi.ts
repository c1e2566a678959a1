import { version } from '../../ops/version'
import type { Tables } from '../../tables/catalog/catalog'
import type { Column, Table } from '../../tables/model'
import { linksOf, readableColumns } from '../column-schema'

/**
 * PostgREST's root response: OpenAPI 2, from which its clients read tables, columns, types and keys. `/swagger/json`
 * describes our own API in more detail.
 * @param catalog the tables that exist for the caller
 * @param base the path below which the tables are
 */
export function describeRest(catalog: Tables, schema: string, base: string): object {
  const tables = catalog.list.filter((table) => table.schema === schema)
  return {
    swagger: '2.0',
    info: { title: 'Rowhouse', description: 'Tables by the API of PostgREST.', version },
    basePath: base,
    consumes: media,
    produces: media,
    securityDefinitions: { token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Bearer and an API token.' } },
    security: [{ token: [] }],
    paths: Object.fromEntries(tables.map((table) => [`/${table.name}`, tablePath(table)])),
    definitions: Object.fromEntries(tables.map((table) => [table.name, definitionOf(table, catalog)])),
    parameters: tableParameters,
  }
}

const media = ['application/json', 'application/vnd.pgrst.object+json', 'application/vnd.pgrst.object+json;nulls=stripped', 'text/csv']

const inQuery = (name: string, description: string) => ({ name, in: 'query', required: false, type: 'string', description })
const inHeader = (name: string, description: string) => ({ name, in: 'header', required: false, type: 'string', description })

const tableParameters = {
  select: inQuery('select', 'Columns, and embedded tables'),
  order: inQuery('order', 'Columns to order by'),
  limit: inQuery('limit', 'How many rows'),
  offset: inQuery('offset', 'How many rows to leave out before'),
  on_conflict: inQuery('on_conflict', 'Columns that decide what an upsert replaces'),
  columns: inQuery('columns', 'Which names of the body count'),
  range: inHeader('Range', 'Rows as 0-9'),
  rangeUnit: inHeader('Range-Unit', 'items'),
  prefer: inHeader('Prefer', 'return, resolution, missing, count, handling, max-affected, tx'),
}

const refer = (...names: (keyof typeof tableParameters)[]) => names.map((name) => ({ $ref: `#/parameters/${name}` }))

function tablePath(table: Table): object {
  const { name, rights } = table
  const filters = readableColumns(table).map((column) => inQuery(column.name, `Filter: ${column.sqlType}`))
  const body = { name, in: 'body', required: false, schema: { $ref: `#/definitions/${pointer(name)}` } }
  const rows = {
    200: { description: 'OK', schema: { type: 'array', items: { $ref: `#/definitions/${pointer(name)}` } } },
    206: { description: 'Partial Content' },
  }
  const done = { 200: { description: 'OK' }, 204: { description: 'No Content' } }
  const tags = [name]
  return {
    ...(rights.select
      ? {
          get: {
            tags,
            parameters: [...filters, ...refer('select', 'order', 'range', 'rangeUnit', 'offset', 'limit', 'prefer')],
            responses: rows,
          },
        }
      : {}),
    ...(rights.insert
      ? {
          post: {
            tags,
            parameters: [body, ...refer('select', 'columns', 'on_conflict', 'prefer')],
            responses: { 201: { description: 'Created' } },
          },
        }
      : {}),
    ...(rights.update ? { patch: { tags, parameters: [...filters, body, ...refer('select', 'columns', 'prefer')], responses: done } } : {}),
    ...(rights.delete ? { delete: { tags, parameters: [...filters, ...refer('select', 'prefer')], responses: done } } : {}),
  }
}

const pointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

const definitionOf = (table: Table, catalog: Tables): object => ({
  type: 'object',
  required: readableColumns(table).flatMap((column) => (column.required ? [column.name] : [])),
  properties: Object.fromEntries(readableColumns(table).map((column) => [column.name, propertyOf(table, column, catalog)])),
})

function propertyOf(table: Table, column: Column, catalog: Tables): object {
  const notes = [...(table.primaryKey.includes(column.name) ? ['This is a Primary Key.<pk/>'] : []), ...linkNotes(table, column, catalog)]
  return {
    ...(notes.length ? { description: `Note:\n${notes.join('\n')}` } : {}),
    ...(column.defaultExpression === null ? {} : { default: column.defaultExpression }),
    format: column.sqlType,
    ...jsonType(column.comparedAs),
  }
}

/** Notes on links in the form that tools for PostgREST expect. */
const linkNotes = (table: Table, column: Column, catalog: Tables): string[] =>
  linksOf(table, column, catalog).map(
    ({ target, targetColumns: [to] }) => `This is a Foreign Key to \`${target.name}.${to}\`.<fk table='${target.name}' column='${to}'/>`,
  )

function jsonType(type: string): object {
  if (type.endsWith('[]')) return { type: 'array', items: { type: 'string', ...jsonType(type.slice(0, -2)) } }
  if (/^(smallint|integer|bigint|int[248])$/.test(type)) return { type: 'integer' }
  if (/^(numeric|decimal|real|double precision|float[48])/.test(type)) return { type: 'number' }
  if (/^bool/.test(type)) return { type: 'boolean' }
  return /^jsonb?$/.test(type) ? {} : { type: 'string' }
}
