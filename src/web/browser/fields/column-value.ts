import { isNumberType } from '../records/values/column'
import { parseExact } from '../values/exact-json'
import { type FieldDraft, toJson } from './field-draft'

/** Converts the value of a control to a value in a column definition. @param decimalMark of the user's locale */
export const toColumnValue = (type: string, draft: FieldDraft, decimalMark: string): unknown => {
  // An empty list means no default.
  if (Array.isArray(draft) && draft.length === 0) return null
  const json = toJson({ type }, draft, decimalMark) ?? JSON.stringify(draft)
  // The service stores definitions with JavaScript numbers, so a number with more digits is sent as a string.
  return isNumberType(type) && JSON.stringify(Number(json)) !== json && !json.startsWith('"') && json !== 'null' ? json : parseExact(json)
}
