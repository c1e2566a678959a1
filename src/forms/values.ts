import type { Problem } from '../errors'
import { type MessageLanguage, translatable } from '../messages/message'
import type { RecordBody } from '../records/model'
import { pointerTo } from '../records/store/pointer'
import { columnTypes } from '../tables/column-types'
import type { Column } from '../tables/model'
import type { Choice } from './choices'
import { isFieldShown } from './conditions'
import { withPoint } from './decimal-marks'
import type { ResolvedField } from './fields'

/**
 * Converts a field's texts from a page to a value of the column's type; undefined for an empty field.
 * @param language of the page where they were typed; null for numbers with a point
 */
export function valueOfTexts(column: Column, texts: readonly string[], language: MessageLanguage | null): unknown {
  const { type } = column
  if (type === 'boolean') return texts.some((text) => ['on', 'true', '1'].includes(text))
  const filled = texts.filter((text) => text !== '')
  if (type === 'multiSelect' || type === 'manyLinks') return filled.length > 0 ? filled : undefined
  const [text] = filled
  if (text === undefined) return undefined
  // A browser sends the time of day as it was typed; the page says that it is in UTC.
  if (type === 'dateTime' && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return `${text.length === 16 ? `${text}:00` : text}Z`
  if (type === 'time' && /^\d\d:\d\d$/.test(text)) return `${text}:00`
  // A choice, and a key of text, may have blanks at its ends.
  if (type === 'select' || type === 'link') return text
  // Numbers keep their digits as texts, which the column types accept.
  return type === 'longText' ? text.replaceAll('\r\n', '\n') : language === null ? text.trim() : withPoint(column, language, text.trim())
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** The value of a field with chosen files. */
const files = '\0'

export type CheckedValues = { record: RecordBody; visibleColumns: Set<string>; problems: Problem[] }

/**
 * The values of the new record: those of visible fields, defaults for the missing ones, and nothing else.
 * @param values by the names of columns
 * @param fileCounts the number of files of each file field, by the name of its column
 */
export function checkValues(
  fields: readonly ResolvedField[],
  values: Record<string, unknown>,
  choices: ReadonlyMap<string, readonly Choice[]>,
  fileCounts: ReadonlyMap<string, number>,
): CheckedValues {
  const record: RecordBody = Object.create(null)
  const problems: Problem[] = []
  const visibleColumns = new Set<string>()
  const fieldsByName = new Map(fields.map((field) => [field.column.name, field]))
  for (const name of [...Object.keys(values), ...fileCounts.keys()])
    if (!fieldsByName.has(name)) problems.push({ path: pointerTo('', name), message: translatable('is not a field of this form') })
  const effective: Record<string, unknown> = Object.create(null)
  for (const field of fields) {
    const { column, isRequired } = field
    if (!isFieldShown(field.conditions, effective)) continue
    visibleColumns.add(column.name)
    const sent = Object.hasOwn(values, column.name) ? values[column.name] : undefined
    const value = sent === undefined ? (field.default ?? undefined) : sent
    const path = pointerTo('', column.name)
    if (column.type === 'attachment') {
      if (sent !== undefined) problems.push({ path, message: translatable('holds files: send the form as multipart/form-data') })
      else if (isRequired && !fileCounts.get(column.name)) problems.push({ path, message: translatable('is required') })
      // For conditions, which only compare it with null.
      if (fileCounts.get(column.name)) effective[column.name] = files
      continue
    }
    // A box that must be ticked, for example to accept terms.
    const isMissing = isEmpty(value) || (column.type === 'boolean' && value === false)
    if (isMissing && isRequired) problems.push({ path, message: translatable('is required') })
    if (isEmpty(value)) continue
    effective[column.name] = value
    const offered = field.target ? choices.get(column.name) : undefined
    const isOffered = (item: unknown) => !offered || offered.some((choice) => choice.value === String(item))
    const problem =
      columnTypes[column.type].problem(value, column.options, column.sqlType) ??
      ([value].flat().every(isOffered) ? null : translatable('must be one of the choices'))
    if (problem) problems.push({ path, message: problem })
    else record[column.name] = value
  }
  return { record, visibleColumns, problems: problems.slice(0, 100) }
}
