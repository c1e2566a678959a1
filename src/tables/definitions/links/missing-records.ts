import { equal, touchingRows } from '../../../db/search-path'
import { conflict, type Failure } from '../../../errors'
import { type Message, translatable } from '../../../messages/message'
import { textTypes } from '../../column-types/descriptors'
import { isStoredColumn } from '../../computed-value'
import type { Table } from '../../model'
import { identifier, literal, qualifiedName } from '../../sql-text'
import type { NameLookup } from './linked-names'

/** Why no record can be created from a name alone; null if one can. */
export function creationObstacle({ target, key, display }: Pick<NameLookup, 'target' | 'key' | 'display'>): Message | null {
  const { name } = target
  if (!target.rights.insert) return translatable('Rowhouse may not create records in "{name}".', { name })
  if (!display || !textTypes.includes(display.type) || !isStoredColumn(display) || !display.isWritable)
    return translatable('No records can be created in "{name}": they are not named by a text column that can be written.', { name })
  if (key.filledBy === 'caller')
    return translatable('No records can be created in "{name}": the database does not generate their keys.', { name })
  const needed = target.columns.filter(
    (column) => column !== display && isStoredColumn(column) && column.required && column.filledBy === 'caller',
  )
  if (needed.length === 0) return null
  const columns = needed.map((column) => `"${column.name}"`).join(', ')
  return translatable('No records can be created in "{name}": they need a value in {columns}.', { name, columns })
}

/**
 * SQL of a lock: conversions and imports create records of a linked table one at a time, so that each finds the records
 * that the previous one created. It is taken before locks on tables, so that two of them cannot block each other.
 */
export const lockLinkedNames = ({ id }: Table): string =>
  `select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(${literal(`rowhouse.linked_names ${id}`)}, 0))`

/**
 * Deferred constraints and triggers would fail later, where their error would be taken for that of another record; and
 * PostgreSQL alters no table that has some to run.
 */
export const checkConstraints = 'set constraints all immediate'

/**
 * Creates records for names without a record.
 * @param names the table with the names, which gets the keys
 * @param isMissing SQL: whether a name has no record, and is to get one
 */
export function createStatements({ target, key, display }: NameLookup, names: string, isMissing: string, userId: string | null): string[] {
  const authors = target.columns.filter(({ type, filledBy }) => filledBy === 'rowhouse' && (type === 'createdBy' || type === 'updatedBy'))
  const columns = [display!.name, ...authors.map(({ name }) => name)].map(identifier).join(', ')
  const values = ['name', ...authors.map(() => (userId === null ? 'null' : `${literal(userId)}::uuid`))].join(', ')
  return touchingRows(`with made as (insert into ${qualifiedName(target)} (${columns})
      select ${values} from ${names} where ${isMissing} order by name
      returning ${identifier(key.name)}::text as key, ${identifier(display!.name)}::text collate "C" as name)
    update ${names} n set key = made.key from made where made.name ${equal} n.name`)
}

export const creationRefusal = ({ name }: Table): Message =>
  translatable('The table "{name}" does not accept records with only a name. Nothing was changed.', { name })

export const notCreated = (message: Message, reason: Message): Failure =>
  conflict(message, { errors: [{ path: '/createLinked', message: reason }] })
