import type { FileView } from '../../../../attachments/model'
import { textTypes } from '../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../tables/model'
import { toApiError } from '../../api/api-error'
import { parseExact, toText } from '../../values/exact-json'
import { isNumberType } from './column'
import { keySegment } from './record-key'

export type RecordValues = Record<string, unknown>
export type GridColumn = Pick<TableView['columns'][number], 'id' | 'name' | 'type' | 'required' | 'options' | 'readOnly' | 'description'>

/** The parsed body of a successful response. @throws ApiError */
export async function readJson<T>(response: Response): Promise<T> {
  if (!response.ok) throw await toApiError(response)
  const text = await response.text()
  return (text === '' ? undefined : parseExact(text)) as T
}

/** A value as the API writes it, for editors and the clipboard; '' for null. */
export function toPlainText(value: unknown): string {
  return Array.isArray(value) ? value.map((part) => (isFile(part) ? part.name : toPlainText(part))).join(', ') : toText(value)
}

const isFile = (part: unknown): part is FileView => typeof part === 'object' && part !== null && 'name' in part && 'url' in part

export const cellFiles = (value: unknown): FileView[] => (Array.isArray(value) ? value.filter(isFile) : [])

/** Whether two values have the same JSON. */
export const isSameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

const moment = /^\d{4,}-\d\d-\d\dT/
const plainNumber = /^-?\d+(\.\d*)?$/

/**
 * Whether the service would store the same value: it writes 5 as 5.00 in a column with two decimals, timestamps in UTC,
 * and keys of links as numbers in their order.
 * @param type of the column; undefined if the column no longer exists
 */
export function isStoredAlike(one: unknown, other: unknown, type = ''): boolean {
  if (Array.isArray(one) && Array.isArray(other)) return isSameValue(one.map(toText).sort(), other.map(toText).sort())
  const [text, otherText] = [toPlainText(one), toPlainText(other)]
  if (text === otherText || textTypes.includes(type)) return text === otherText
  if (moment.test(text) && moment.test(otherText)) return Date.parse(text) === Date.parse(otherText)
  const digits = (number: string) => (number.includes('.') ? number.replace(/\.?0*$/, '') : number)
  return isNumberType(type) && plainNumber.test(text) && plainNumber.test(otherText) && digits(text) === digits(otherText)
}

/** The `{pk}` segment of a record's URL; null if the table has no primary key. */
export const recordKey = (primaryKey: string[], record: RecordValues): string | null =>
  primaryKey.length ? keySegment({ primaryKey }, record) : null
