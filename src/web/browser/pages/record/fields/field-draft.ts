import { numberText } from '../../../values/decimal'
import { textOf } from '../../../values/exact-json'
import { localMoment, utcMoment } from '../../../values/timestamps'
import { type Column, isNumber } from '../data/column'

/** What stands in a control: a text, several, or yes, no and neither. */
export type Draft = string | string[] | boolean | null

type Typed = Pick<Column, 'type'>

/** A value of a record as its control shows it. */
export function draftOf({ type }: Typed, value: unknown): Draft {
  if (type === 'boolean') return typeof value === 'boolean' ? value : null
  if (type === 'multiSelect' || type === 'manyLinks') return Array.isArray(value) ? value.map(textOf) : []
  if (value === null || value === undefined) return ''
  if (type === 'json') return JSON.stringify(value, null, 2)
  return type === 'dateTime' ? localMoment(textOf(value)) : textOf(value)
}

export const isSameDraft = (one: Draft, other: Draft): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * The JSON text to send for what stands in a control; null when it is no JSON at all. Everything else is for the service to judge.
 * @param decimalMark of the user's numbers
 */
export function jsonOf({ type }: Typed, draft: Draft, decimalMark = '.'): string | null {
  if (typeof draft !== 'string') return JSON.stringify(draft)
  // Blanks are text; anything else is empty then.
  if ((type === 'text' || type === 'longText' ? draft : draft.trim()) === '') return 'null'
  if (type === 'json') return isJson(draft) ? draft : null
  if (type === 'dateTime') return JSON.stringify(utcMoment(draft))
  if (isNumber(type)) return numberText(draft, decimalMark) ?? JSON.stringify(draft.trim())
  if (type === 'other' && /^[[{]/.test(draft.trim()) && isJson(draft)) return draft
  return JSON.stringify(draft)
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What was changed, as the body of a request. @throws InvalidJson */
export function bodyOf(columns: readonly Column[], edits: Readonly<Record<string, Draft>>, decimalMark?: string): string {
  const parts = columns.flatMap((column) => {
    const draft = edits[column.name]
    if (draft === undefined) return []
    const json = jsonOf(column, draft, decimalMark)
    if (json === null) throw new InvalidJson(column.name)
    return [`${JSON.stringify(column.name)}:${json}`]
  })
  return `{${parts.join(',')}}`
}

/** What stands in the control of a column of JSON is none. */
export class InvalidJson extends Error {
  constructor(readonly column: string) {
    super('This is not JSON.')
  }
}
