import type { TableView } from '../../../../../tables/model'
import { refusalOf } from '../../../api/api-error'
import { parseExact, textOf } from '../../../values/exact-json'
import { keySegment } from '../../record/data/record-key'

export type Values = Record<string, unknown>
export type Column = Pick<TableView['columns'][number], 'id' | 'name' | 'type' | 'required' | 'options' | 'readOnly'>

/** What a good answer holds. @throws Refusal */
export async function answerOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw await refusalOf(response)
  const text = await response.text()
  return (text === '' ? undefined : parseExact(text)) as T
}

/** A value as the API writes it: what is edited, and what goes to the clipboard. Nothing is ''. */
export function plainText(value: unknown): string {
  return Array.isArray(value) ? value.map((part) => (isFile(part) ? part.name : plainText(part))).join(', ') : textOf(value)
}

export type FileValue = { id: string; name: string; type: string; url: string; width?: number | null }

const isFile = (part: unknown): part is FileValue => typeof part === 'object' && part !== null && 'name' in part && 'url' in part

/** The files of an attachment. */
export const filesOf = (value: unknown): FileValue[] => (Array.isArray(value) ? value.filter(isFile) : [])

/** Whether two values are the same to a reader. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** `{pk}` of a record's address, or null when the table has no key. */
export const keyOf = (primaryKey: string[], record: Values): string | null =>
  primaryKey.length ? keySegment({ primaryKey }, record) : null
