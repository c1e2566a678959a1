import type { Column, Table } from '../../tables/model'

const numbers = new Set(['integer', 'float', 'autoNumber', 'rating'])
/** Values that may be too long for a number, which are then texts. */
const either = new Set(['bigint', 'decimal', 'currency', 'percent', 'duration'])

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
  `      ${JSON.stringify(column.name)}: ${typescriptType(column)}${column.required ? '' : ' | null'}\n`

function typescriptType({ type, options }: Column): string {
  if (numbers.has(type)) return 'number'
  if (either.has(type)) return 'number | string'
  if (type === 'boolean') return 'boolean'
  if (type === 'attachment') return 'FileInfo[]'
  if (type === 'manyLinks') return '(number | string)[]'
  if (type === 'link') return 'number | string'
  if (type === 'multiSelect') return 'string[]'
  if (type === 'select') return literalTypes(options) ?? 'string'
  return ['json', 'formula', 'other'].includes(type) ? 'unknown' : 'string'
}

function literalTypes({ choices }: Column['options']): string | null {
  if (!Array.isArray(choices) || choices.length === 0 || choices.length > 100) return null
  return choices
    .map((choice: unknown) => JSON.stringify(typeof choice === 'string' ? choice : (choice as { value: string }).value))
    .join(' | ')
}
