import { valueType } from '../../tables/column-types/descriptors'
import type { Column, Table } from '../../tables/model'

const numbers = new Set(['integer', 'float', 'autoNumber', 'rating'])
/** Values that may be too long for a number, which are then texts. */
const either = new Set(['bigint', 'decimal', 'currency', 'percent', 'duration'])
/** Among them computed columns that have no values, because of a problem. */
const unknowns = new Set(['json', 'other', 'formula', 'lookup', 'rollup', 'count'])
/** Records without links have an empty list, and a count of 0. */
const neverNull = new Set(['manyLinks', 'reverseLinks', 'count'])

/** TypeScript types of the records of every table, for `records('name')`. */
export function tableTypes(tables: readonly Table[]): string {
  const ownTables = tables.filter(({ isJoinTable }) => !isJoinTable)
  // A name without a schema means the table of the first schema that has one.
  const names = new Map<string, Table>()
  for (const table of ownTables) {
    if (!names.has(table.name)) names.set(table.name, table)
    if (table.schema !== 'data') names.set(`${table.schema}.${table.name}`, table)
  }
  const members = [...names].map(([name, table]) => `    ${JSON.stringify(name)}: {\n${table.columns.map(memberOf).join('')}    }\n`)
  return `// Written by \`rowhouse plugins types\` from the database. Run it again when tables have changed.
declare module 'rowhouse/plugin' {
  interface Tables {
${members.join('')}  }
}
`
}

const memberOf = (column: Column): string =>
  `      ${JSON.stringify(column.name)}: ${typescriptType(column)}${isNullable(column) ? ' | null' : ''}\n`

const isNullable = ({ required, type }: Column): boolean => !required && !neverNull.has(type)

function typescriptType(column: Column): string {
  const type = valueTypescript(column)
  if (!column.options.isMany) return type
  return type.includes('|') ? `(${type})[]` : `${type}[]`
}

/** The type of one value, also of a computed column that has several. */
function valueTypescript(column: Column): string {
  const { options } = column
  const type = valueType(column)
  if (numbers.has(type)) return 'number'
  if (either.has(type)) return 'number | string'
  if (type === 'boolean') return 'boolean'
  if (type === 'attachment') return 'FileInfo[]'
  if (type === 'manyLinks' || type === 'reverseLinks') return '(number | string)[]'
  if (type === 'link') return 'number | string'
  if (type === 'multiSelect') return 'string[]'
  if (type === 'select') return literalTypes(options) ?? 'string'
  return unknowns.has(type) ? 'unknown' : 'string'
}

function literalTypes({ choices }: Column['options']): string | null {
  if (!Array.isArray(choices) || choices.length === 0 || choices.length > 100) return null
  return choices
    .map((choice: unknown) => JSON.stringify(typeof choice === 'string' ? choice : (choice as { value: string }).value))
    .join(' | ')
}
