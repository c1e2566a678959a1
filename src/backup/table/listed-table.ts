import { nearest } from '../../tables/nearest'
import type { TableOfBackup } from '../archive/manifest'
import { BackupError } from '../errors'

/**
 * Requires the table to be one that Rowhouse made, before the backup is unpacked.
 * @param reference id, name, or `schema.name`
 * @throws BackupError
 */
export function requireListed(tables: readonly TableOfBackup[], reference: string): void {
  const found = tables.filter(
    ({ id, schema, name }) => id === reference.toLowerCase() || name === reference || `${schema}.${name}` === reference,
  )
  if (found.some(({ id }) => id !== null)) return
  if (found.length > 0) throw notMadeHere(reference)
  const names = tables.filter(({ id }) => id !== null).map(({ name }) => name)
  throw noTableInBackup(reference, names)
}

export function noTableInBackup(reference: string, names: readonly string[]): BackupError {
  const similar = nearest(reference, names)
  const question = similar === undefined ? '' : ` Did you mean "${similar}"?`
  return new BackupError(`The backup has no table "${reference}". It has ${names.join(', ') || 'none'}.${question}`)
}

export const notMadeHere = (reference: string): BackupError =>
  new BackupError(`Rowhouse did not make "${reference}". Restore the backup elsewhere, and copy the table with the tools of PostgreSQL.`)
