import { parse as parseCsv } from 'csv-parse/sync'
import { parseJson } from '../../../http/request/body'
import { throwRestFailure } from '../errors/failure'

/**
 * The records of a body: a JSON array of objects as text, so that numbers keep their digits; their column names; their
 * number.
 */
export type RestPayload = { text: string; names: string[]; count: number; isArray: boolean; isUniform: boolean }

type BodyReader = (text: string) => RestPayload

const bodyReaders: Record<string, BodyReader> = {
  'application/json': readJsonBody,
  'application/vnd.pgrst.object+json': readJsonBody,
  'application/vnd.pgrst.array+json': readJsonBody,
  'text/csv': readCsvBody,
  'application/x-www-form-urlencoded': readFormBody,
}

/** @throws RestFailure PGRST102 if the type is unknown or the text is not of that type; Failure malformed_json */
export function readBody(contentType: string | null, text: string): RestPayload {
  const type = (contentType ?? 'application/json').split(';')[0]!.trim().toLowerCase()
  const read = Object.hasOwn(bodyReaders, type) ? bodyReaders[type]! : refuseType()
  return read(text)
}

/** @throws RestFailure PGRST102 if records name different columns, and no parameter says which of them count */
export function requireUniform(body: RestPayload): void {
  if (!body.isUniform) refuseBody('All object keys must match')
}

const refuseBody = (message: string, hint: string | null = null): never => throwRestFailure(400, 'PGRST102', message, null, hint)

const refuseType = () => refuseBody('Content-Type not acceptable', 'Send application/json, text/csv or application/x-www-form-urlencoded.')

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

function readJsonBody(text: string): RestPayload {
  if (text.trim() === '') refuseBody('Empty or invalid json')
  const value = parseJson(text)
  const records = Array.isArray(value) ? value : [value]
  if (!records.every(isRecord)) refuseBody('The body must be an object or an array of objects')
  const [first = {}] = records as Record<string, unknown>[]
  const names = new Set(Object.keys(first))
  const isUniform = (records as Record<string, unknown>[]).every((record) => hasNames(record, names))
  const isArray = Array.isArray(value)
  return { text: isArray ? text : `[${text}]`, names: [...names], count: records.length, isArray, isUniform }
}

function hasNames(record: Record<string, unknown>, names: ReadonlySet<string>): boolean {
  const own = Object.keys(record)
  return own.length === names.size && own.every((name) => names.has(name))
}

/** RFC 4180 with a header. NULL means null, as in PostgREST; an empty field is an empty text. */
function readCsvBody(text: string): RestPayload {
  const [names = [], ...rows] = parseLines(text)
  if (new Set(names).size < names.length) refuseBody('A column appears in the header twice')
  const records = rows.map((row) => `{${row.map((field, index) => `${JSON.stringify(names[index])}:${fieldJson(field)}`).join(',')}}`)
  return { text: `[${records.join(',')}]`, names, count: rows.length, isArray: true, isUniform: true }
}

const fieldJson = (field: string) => (field === 'NULL' ? 'null' : JSON.stringify(field))

function parseLines(text: string): string[][] {
  try {
    return parseCsv(text, { bom: true, skipEmptyLines: true, recordDelimiter: ['\r\n', '\n'] })
  } catch {
    return refuseBody(
      'All lines must have same number of fields',
      'Put fields with commas, quotation marks or line breaks in quotation marks.',
    )
  }
}

function readFormBody(text: string): RestPayload {
  const fields = new Map(new URLSearchParams(text))
  const record = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')
  return { text: `[{${record}}]`, names: [...fields.keys()], count: 1, isArray: false, isUniform: true }
}
