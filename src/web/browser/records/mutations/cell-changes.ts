import type { ApiError } from '../../api/api-error'
import type { RecordValues } from '../values/cell-values'
import type { BatchResult } from './batch'
import type { CreationFailure } from './creation'
import type { CellChange } from './undo-stack'

/** The result of a write, with its requests. `failedCreation` identifies the record that could not be created. */
export type BlockResult = {
  written: CellChange[]
  created: BatchResult[]
  requestIds: string[]
  failure?: unknown
  failedCreation?: CreationFailure
}

/** The service may normalize a value ("5" to 5.00). Undo compares with the stored value. */
export function adoptStoredValues(changes: CellChange[], key: string, record: RecordValues) {
  for (const change of changes) if (change.key === key && change.column in record) change.after = record[change.column]
}

/** The new values, grouped by record. */
export function groupByRecord(changes: CellChange[]): Map<string, RecordValues> {
  const all = new Map<string, RecordValues>()
  for (const { key, column, after } of changes) all.set(key, { ...all.get(key), [column]: after ?? null })
  return all
}

/** The errors of a record's cells, by their columns. */
export function fieldErrors(names: string[], apiError: ApiError): Record<string, string> {
  const named = names.filter((name) => apiError.fieldError(name))
  const words = (name: string) => apiError.fieldError(name) ?? apiError.message
  // An error that names no column certainly belongs to a cell only if just one cell was written.
  const wrong = named.length || names.length > 1 ? named : names
  return Object.fromEntries(wrong.map((name) => [name, words(name)]))
}
