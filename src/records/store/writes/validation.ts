import { type Problem, validationFailed } from '../../../errors'
import { type Message, translatable } from '../../../messages/message'
import { columnTypes } from '../../../tables/column-types'
import { hasHugeExponent, hugeExponent } from '../../../tables/column-types/decimal'
import { isKeyFilledByDatabase } from '../../../tables/ddl'
import type { Column, Table } from '../../../tables/model'
import { nearest } from '../../../tables/nearest'
import { mostRecords, type Payload, type RecordBody } from '../../model'
import { pointerTo } from '../pointer'
import { requireWritableColumn } from '../rights'
import { exactRecords, needsDigits } from './digits'

/** The first problems are enough to explain a body that is wrong throughout. */
const mostProblems = 100
/** Looking for the nearest name takes time with each of the table's columns. */
const mostSuggestions = 5

/** @throws Failure validation_failed, when the bodies cannot be new records of this table */
export function checkNewRecords(table: Table, payload: Payload): void {
  const { records, json } = payload
  if (Array.isArray(records) && records.length === 0) throw validationFailed([{ path: '', message: translatable('The array is empty.') }])
  if (Array.isArray(records) && records.length > mostRecords) {
    throw validationFailed([
      {
        path: '',
        message: translatable('One request accepts at most {mostRecords} records; split them into several requests.', { mostRecords }),
      },
    ])
  }
  const check = checkOf(table)
  const exact = exactRecords(payload)
  if (!Array.isArray(records)) check.newRecord(records, '', exact as RecordBody)
  else
    for (let index = 0; index < records.length && !check.isFull(); index++)
      check.newRecord(records[index]!, `/${index}`, (exact as RecordBody[])[index]!)
  throwProblems(check.found)
  throwProblems(numberProblems(json))
}

/** @throws Failure validation_failed, when the body cannot change records of this table */
export function checkChange(table: Table, payload: Payload<RecordBody>): void {
  const check = checkOf(table)
  check.change(payload.records, exactRecords(payload))
  throwProblems(check.found)
  throwProblems(numberProblems(payload.json))
}

/** The parts of the key are in the path and need not be in the body; `requireSameKey` compares them. */
export function checkReplacement(table: Table, payload: Payload<RecordBody>): void {
  const check = checkOf(table)
  check.replacement(payload.records, exactRecords(payload))
  throwProblems(check.found)
  throwProblems(numberProblems(payload.json))
}

function throwProblems(found: Problem[]): void {
  if (found.length) throw validationFailed(found.slice(0, mostProblems))
}

const numberProblems = (json: string): Problem[] =>
  hasHugeExponent(json) ? [{ path: '', message: translatable('A number {hugeExponent}.', { hugeExponent }) }] : []

type Facts = { columns: Map<string, Column>; names: string[]; needed: Column[]; counted: Column[]; fixed: Column[] }

const factsByTable = new WeakMap<Table, Facts>()

function factsOf(table: Table): Facts {
  const found = factsByTable.get(table)
  if (found) return found
  const { columns } = table
  // For the caller, a hidden column does not exist.
  const visible = columns.filter(({ access }) => !access?.isHidden)
  const facts = {
    columns: new Map(visible.map((column) => [column.name, column])),
    names: visible.map(({ name }) => name),
    needed: visible.filter(
      (column) => column.required && column.filledBy === 'caller' && column.defaultExpression === null && !column.joinTable,
    ),
    // In an adopted table, callers may choose counted values, as PostgreSQL allows.
    counted: table.isOwn ? columns.filter(({ filledBy }) => filledBy === 'identity') : [],
    fixed: columns.filter((column) => isKeyFilledByDatabase(column)),
  }
  factsByTable.set(table, facts)
  return facts
}

/** The checks of one request: they collect the problems, and share the limited number of suggestions. */
function checkOf(table: Table) {
  const { columns, names, needed, counted, fixed } = factsOf(table)
  let suggestions = mostSuggestions

  const unknownColumn = (name: string): Message => {
    const similar = suggestions-- > 0 ? nearest(name, names) : undefined
    return similar === undefined
      ? translatable('is not a column of this table')
      : translatable('is not a column of this table; did you mean "{similar}"?', { similar })
  }
  const found: Problem[] = []
  const tell = (path: string, name: string, message: Message) => void found.push({ path: pointerTo(path, name), message })

  const values = (body: RecordBody, path: string, exact: RecordBody) => {
    for (const name of Object.keys(body)) {
      const column = columns.get(name)
      if (column?.access) requireWritableColumn(table, column, pointerTo(path, name))
      const value = column && needsDigits(column) ? exact[name] : body[name]
      const problem = column ? (unsendable(column) ?? valueProblem(table, column, value)) : unknownColumn(name)
      if (problem) tell(path, name, problem)
    }
  }
  const missing = (body: RecordBody, path: string, but: readonly string[] = []) => {
    for (const { name } of needed) if (!Object.hasOwn(body, name) && !but.includes(name)) tell(path, name, translatable('is required'))
  }
  const sent = (body: RecordBody, path: string, refused: Column[], message: Message) => {
    for (const { name } of refused) if (Object.hasOwn(body, name)) tell(path, name, message)
  }
  return {
    found,
    isFull: () => found.length >= mostProblems,
    newRecord: (body: RecordBody, path: string, exact: RecordBody) => {
      values(body, path, exact)
      sent(body, path, counted, translatable('is numbered by the database and cannot be set'))
      missing(body, path)
    },
    change: (body: RecordBody, exact: RecordBody) => {
      values(body, '', exact)
      sent(body, '', fixed, translatable('is the key of the record and cannot be changed'))
    },
    replacement: (body: RecordBody, exact: RecordBody) => {
      values(body, '', exact)
      missing(body, '', table.primaryKey)
    },
  }
}

function unsendable({ type, filledBy, isWritable }: Column): Message | null {
  if (type === 'attachment') return translatable('holds files, which cannot be sent: upload and delete them one by one (…/attachments)')
  if (filledBy === 'generated' || filledBy === 'identityAlways') return translatable('is filled in by the database and cannot be sent')
  if (filledBy === 'rowhouse') return translatable('is filled in by the service and cannot be sent')
  return isWritable ? null : translatable('cannot be written: Rowhouse does not have the database privilege')
}

function valueProblem(table: Table, column: Column, value: unknown): Message | null {
  if (value === null) return column.required ? translatable('is required and cannot be null') : null
  return columnTypes[column.type].problem(value, column.options, column.sqlType) ?? unreachableKeyProblem(table, column.name, value)
}

/** RFC 3986 section 5.2.4: clients remove `.` and `..` from a path, and an empty segment addresses the list. */
const unreachableKeyProblem = ({ primaryKey }: Table, name: string, value: unknown): Message | null =>
  primaryKey.length === 1 && primaryKey[0] === name && ['', '.', '..'].includes(value as string)
    ? translatable('cannot be empty, "." or "..", since no URL could name such a record')
    : null
