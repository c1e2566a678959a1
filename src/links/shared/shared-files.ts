import type { FileView } from '../../attachments/model'
import type { PlannedOutput, Value } from '../../records/query/plan/types'

/** A record as it was read, with every digit of its numbers. */
export type SharedValues = Record<string, unknown>

/** Replaces one file in a cell. */
type MapFile = (file: FileView) => unknown

/**
 * Copies a record with other files. Changes only cells of file columns: any other value stays as it is, even if it
 * looks like a file.
 */
export function mapFiles(outputs: readonly PlannedOutput[], record: SharedValues, map: MapFile): SharedValues {
  const copy = { ...record }
  for (const { name, value, aggregate } of outputs) if (value && !aggregate) copy[name] = mapValue(value, record[name], map)
  return copy
}

function mapValue(value: Value, found: unknown, map: MapFile): unknown {
  if (isFiles(value)) return Array.isArray(found) ? found.map((file) => map(file as FileView)) : found
  if (value.kind === 'embedded') return eachObject(found, (inner) => mapFiles(value.embedding.outputs, inner, map))
  if (value.kind !== 'spread') return found
  const isMany = value.embedding.relationship.cardinality !== 'toOne'
  return isMany && Array.isArray(found) ? found.map((item) => mapValue(value.value, item, map)) : mapValue(value.value, found, map)
}

/** Whether the value is a cell of files, which the service itself has written. */
export const isFiles = (value: Value | undefined): boolean =>
  value?.kind === 'field' && value.field.column.type === 'attachment' && value.field.steps.length === 0 && value.cast === undefined

function eachObject(found: unknown, map: (record: SharedValues) => SharedValues): unknown {
  if (Array.isArray(found)) return found.map((item) => eachObject(item, map))
  return typeof found === 'object' && found !== null ? map(found as SharedValues) : found
}

/** All files that a record shows. */
export function filesIn(outputs: readonly PlannedOutput[], record: SharedValues): FileView[] {
  const files: FileView[] = []
  mapFiles(outputs, record, (file) => files.push(file))
  return files
}

/** `/api/v1/tables/{table}/records/{pk}/attachments/{column}/{file}`: its table, key and column. */
export function placeOfFile({ url }: FileView): { tableId: string; recordKey: string; columnId: string } | null {
  const [, tableId, recordKey, columnId] = /^\/api\/v1\/tables\/([^/]+)\/records\/([^/]+)\/attachments\/([^/]+)\/[^/]+$/.exec(url) ?? []
  return tableId && recordKey && columnId ? { tableId, recordKey, columnId } : null
}
