import { type ColumnInfo, isNumberType } from '../records/values/column'
import type { Strings } from '../strings/en'
import { toJsonNumber, toTypedNumber } from '../values/decimal'
import { toText } from '../values/exact-json'
import { toLocalTimestamp } from '../values/timestamps'
import { type DateKind, dateProblem, isDateKind, readTypedDate } from '../values/typed-dates'
import { UnreadableInput } from '../values/unreadable-input'

/** The value of a control: text, a list, or a boolean with null. */
export type FieldDraft = string | string[] | boolean | null

type TypedColumn = Pick<ColumnInfo, 'type'>

/** The control's value for a value of a record. @param decimalMark of the user's locale */
export function toDraft({ type }: TypedColumn, value: unknown, decimalMark = '.'): FieldDraft {
  if (type === 'boolean') return typeof value === 'boolean' ? value : null
  if (type === 'multiSelect' || type === 'manyLinks' || type === 'reverseLinks') return Array.isArray(value) ? value.map(toText) : []
  if (value === null || value === undefined) return ''
  if (type === 'json') return JSON.stringify(value, null, 2)
  if (type === 'dateTime') return toLocalTimestamp(toText(value))
  return isNumberType(type) ? toTypedNumber(toText(value), decimalMark, type) : toText(value)
}

export const isSameDraft = (one: FieldDraft, other: FieldDraft): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * The JSON text of a control's value; null if it is not a date or not JSON. The service validates everything else.
 * @param decimalMark of the user's locale
 */
export function toJson({ type }: TypedColumn, draft: FieldDraft, decimalMark = '.'): string | null {
  if (typeof draft !== 'string') return JSON.stringify(draft)
  // Blanks are a value in text columns only.
  if ((type === 'text' || type === 'longText' ? draft : draft.trim()) === '') return 'null'
  if (type === 'json') return isJson(draft) ? draft : null
  if (isDateKind(type)) return dateJson(type, draft)
  if (isNumberType(type)) return toJsonNumber(draft, decimalMark, type) ?? JSON.stringify(draft.trim())
  if (type === 'other' && /^[[{]/.test(draft.trim()) && isJson(draft)) return draft
  return JSON.stringify(draft)
}

function dateJson(type: DateKind, draft: string): string | null {
  const date = readTypedDate(type, draft)
  return date instanceof UnreadableInput ? null : JSON.stringify(date)
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The request body with the changed fields. @throws UnreadableDraft */
export function toRequestBody(columns: readonly ColumnInfo[], edits: Readonly<Record<string, FieldDraft>>, decimalMark?: string): string {
  const parts = columns.flatMap((column) => {
    const draft = edits[column.name]
    if (draft === undefined) return []
    const json = toJson(column, draft, decimalMark)
    if (json === null) throw new UnreadableDraft(column, draft)
    return [`${JSON.stringify(column.name)}:${json}`]
  })
  return `{${parts.join(',')}}`
}

/** The message about a draft that `toJson` does not convert. */
export const draftProblem = (words: Strings['grid']['inputProblems'], { type }: TypedColumn, draft: FieldDraft): string | undefined =>
  isDateKind(type) ? dateProblem(words, type, String(draft)) : words.json

/** A control contains text that its column cannot hold; it is not sent. */
export class UnreadableDraft extends Error {
  constructor(
    readonly column: ColumnInfo,
    readonly draft: FieldDraft,
  ) {
    super('Unreadable')
  }
}
