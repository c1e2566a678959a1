import type { Problem } from '../errors'
import { columnTypes } from '../tables/column-types'
import type { Column, Table } from '../tables/model'
import type { RecordBody } from './model'
import { pointerTo } from './pointer'

/** JavaScript keeps at least so many digits of any number. */
const keptDigits = 15

const hasDigits = (text: string): boolean => /(?:\d\.?){16}/.test(text)

const isBounded = ({ type, options }: Column): boolean => type === 'decimal' && options.precision !== undefined

/**
 * PostgreSQL reads the digits as they were sent, and would round away those that the column has no room for; JavaScript had dropped them before
 * anybody could look.
 * @param text the body as it was sent, known to be one record or an array of records
 */
export function* digitProblems(table: Table, text: string): Generator<Problem> {
  const columns = hasDigits(text) ? table.columns.filter(isBounded) : []
  if (columns.length === 0) return
  const body = withDigits(text)
  if (!Array.isArray(body)) yield* recordProblems(columns, body, '')
  else for (const [index, record] of body.entries()) yield* recordProblems(columns, record, `/${index}`)
}

function* recordProblems(columns: Column[], record: RecordBody, path: string): Generator<Problem> {
  for (const { name, type, options } of columns) {
    const value = Object.hasOwn(record, name) ? record[name] : null
    const problem = value === null ? null : columnTypes[type].problem(value, options)
    if (problem) yield { path: pointerTo(path, name), message: problem }
  }
}

type WithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => RecordBody | RecordBody[]

/** Numbers with more digits than are kept become texts. */
const withDigits = (text: string) =>
  (JSON.parse as unknown as WithSource)(text, (_key, value, { source = '' }) =>
    typeof value === 'number' && source.replace(/e.*/i, '').replace(/\D/g, '').length > keptDigits ? source : value,
  )
