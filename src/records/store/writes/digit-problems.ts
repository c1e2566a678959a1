import type { Problem } from '../../../errors'
import { parseNumbers } from '../../../exact-json'
import { columnTypes } from '../../../tables/column-types'
import type { Column, Table } from '../../../tables/model'
import type { RecordBody } from '../../model'
import { pointerTo } from '../pointer'

/** JavaScript keeps at least so many digits of any number. */
const keptDigits = 15

/**
 * Some more than have so many, such as addresses of networks: it is quick, and those who look closer sort these out.
 */
const mayHaveDigits = (text: string): boolean => /\d[\d.]{15}/.test(text)

/** Keys of links may be so large that two of them are one number to JavaScript. */
const needsDigits = ({ type, options }: Column): boolean => (type === 'decimal' && options.precision !== undefined) || type === 'manyLinks'

/**
 * PostgreSQL reads the digits as they were sent, and would round away those that the column has no room for; JavaScript
 * had dropped them before anybody could look.
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

/** Numbers with more digits than are kept become texts. */
export const withDigits = (text: string) =>
  parseNumbers(text, (value, source) => (source.replace(/e.*/i, '').replace(/\D/g, '').length > keptDigits ? source : value)) as
    | RecordBody
    | RecordBody[]
