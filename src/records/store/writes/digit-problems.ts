import type { Problem } from '../../../errors'
import { parseNumbers } from '../../../exact-json'
import { columnTypes } from '../../../tables/column-types'
import type { Column, Table } from '../../../tables/model'
import type { RecordBody } from '../../model'
import { pointerTo } from '../pointer'

/** The number of significant digits that JavaScript keeps of every number. */
const keptDigits = 15

/** A quick check that may also be true for other texts, such as network addresses. The callers look closer. */
const mayHaveDigits = (text: string): boolean => /\d[\d.]{15}/.test(text)

/** Keys of links may be so large that JavaScript reads two different keys as one number. */
const needsDigits = ({ type, options }: Column): boolean =>
  (columnTypes[type].conversion === columnTypes.decimal.conversion && options.precision !== undefined) || type === 'manyLinks'

/**
 * PostgreSQL reads the digits as the client sent them, and would round those beyond the column's scale. JavaScript's
 * numbers have lost them already, so the digits are checked in the text.
 * @param text the body as it was sent, known to be one record or an array of records
 */
export function digitProblems(table: Table, text: string): Problem[] {
  const columns = mayHaveDigits(text) ? table.columns.filter(needsDigits) : []
  if (columns.length === 0) return []
  const body = withDigits(text)
  if (!Array.isArray(body)) return recordProblems(columns, body, '')
  return body.flatMap((record, index) => recordProblems(columns, record, `/${index}`))
}

function recordProblems(columns: Column[], record: RecordBody, path: string): Problem[] {
  const found: Problem[] = []
  for (const { name, type, options, sqlType } of columns) {
    const value = Object.hasOwn(record, name) ? record[name] : null
    const message = value === null ? null : columnTypes[type].problem(value, options, sqlType)
    if (message) found.push({ path: pointerTo(path, name), message })
  }
  return found
}

/** Turns numbers with more digits than JavaScript keeps into texts. */
export const withDigits = (text: string) =>
  parseNumbers(text, (value, source) => (source.replace(/e.*/i, '').replace(/\D/g, '').length > keptDigits ? source : value)) as
    | RecordBody
    | RecordBody[]
