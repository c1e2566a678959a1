import type { Column } from '../model'
import type { PgRelation, PgType, PgTypes } from './introspection/introspection'

const length = 12

/**
 * A hash of those parts of a table's definition that change its records although no row is written: the names, order
 * and types of columns, the labels of enums, and the expressions of virtual columns.
 */
export function columnsHash(relation: PgRelation, types: PgTypes, columns: Column[]): string {
  const stored = new Map(relation.columns.map((column) => [column.name, column]))
  const shown = columns
    .filter(({ isReadable }) => isReadable)
    .map(({ name, sqlType }) => {
      const column = stored.get(name)
      const expression = column?.flags.includes('g') ? column.defaultExpression : null
      return [name, sqlType, expression, column ? labelsOf(types.get(column.typeId)) : null]
    })
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, length)
}

const labelsOf = (type: PgType | undefined): string[] | null => (type ? (type.labels ?? labelsOf(type.element ?? type.base)) : null)
