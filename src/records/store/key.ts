import { notFound } from '../../errors'
import { translatable } from '../../messages/message'
import { columnTypes } from '../../tables/column-types'
import type { Table } from '../../tables/model'
import { isUnusualKey } from './unusual-keys'

const throwNoRecord = () => notFound(translatable('There is no record with this key.'))

/**
 * Reads `{pk}` into the parts of the key, as text. Splits a composite key at its raw commas before percent-decoding.
 * @throws Failure not_found for a text that cannot be a key of this table
 */
export function readKey(table: Table, rawSegment: string): string[] {
  if (table.primaryKey.length === 0)
    throw notFound(
      translatable('"{name}" has no primary key, so its records have no addresses.', { name: table.name }),
      translatable('List them with a filter.'),
    )
  const parts = (table.primaryKey.length > 1 ? rawSegment.split(',') : [rawSegment]).map(decodeSegment)
  const fits = parts.length === table.primaryKey.length && parts.every((part, index) => part !== null && isKeyPart(table, index, part))
  if (!fits) throw throwNoRecord()
  return parts as string[]
}

function decodeSegment(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

/** Whether a text can be the part of this table's key at `index`. */
export function isKeyPart(table: Table, index: number, text: string): boolean {
  const { type, options, sqlType } = table.columns.find(({ name }) => name === table.primaryKey[index])!
  const value = type === 'boolean' ? { true: true, false: false }[text] : text
  return columnTypes[type].problem(value, options, sqlType) === null || isUnusualKey(type, text)
}

/** Writes the parts of a key as `{pk}` of a path. */
export const writeKey = (parts: readonly string[]): string => parts.map(encodeURIComponent).join(',')

/**
 * The segment of the path that holds `{pk}`, not decoded: a raw comma separates parts, and %2C is a part's character.
 */
export const rawSegment = (url: string, index: number): string => url.slice(0, pathEnd(url)).split('/')[index + 3] ?? ''

const pathEnd = (url: string) => {
  const query = url.indexOf('?')
  return query < 0 ? url.length : query
}
