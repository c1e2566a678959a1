import { refusalOf } from '../../refusal'
import { keySegment } from '../record/key'

export type Values = Record<string, unknown>
export type Column = { id: string; name: string; type: string; required: boolean; options: Record<string, unknown> }

/** A number with more digits than JavaScript keeps, or with zeros at its end, as it was sent. */
type RawNumber = { rawJSON: string }

declare global {
  interface JSON {
    rawJSON?: (text: string) => RawNumber
    isRawJSON?: (value: unknown) => value is RawNumber
  }
}

const reviver = (_key: string, value: unknown, context?: { source?: string }) => {
  const source = context?.source
  const isShort = typeof value !== 'number' || source === undefined || String(value) === source
  return isShort || !JSON.rawJSON ? value : JSON.rawJSON(source)
}

/** Parses an answer so that `JSON.stringify` writes every number with the digits it came with. */
export const parseExactly = (text: string): unknown => JSON.parse(text, reviver as (key: string, value: unknown) => unknown)

/** What a good answer holds. @throws Refusal */
export async function answerOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw await refusalOf(response)
  const text = await response.text()
  return (text === '' ? undefined : parseExactly(text)) as T
}

const isRaw = (value: unknown): value is RawNumber => JSON.isRawJSON?.(value) ?? false

/** A value as the API writes it: what is edited, and what goes to the clipboard. Nothing is ''. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (isRaw(value)) return value.rawJSON
  if (Array.isArray(value)) return value.map((part) => (isFile(part) ? part.name : plainText(part))).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
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
