import { driverError, isMadeUp, sqlState } from '../../../db/errors'
import { Failure, type FailureKind } from '../../../errors'
import type { Tables } from '../../../tables/catalog/catalog'
import type { Table } from '../../../tables/model'
import { countedColumnIn, counterAtEnd, lostPlusHint } from '../../store/errors'
import { keyInDetail } from '../../store/key-detail'
import { RestFailure } from './failure'

/** The fields of a PostgreSQL error (its manual, 53.8): its texts, and the names that they mention. */
type DatabaseError = {
  message: string
  detail?: string
  hint?: string
  constraint_name?: string
  schema_name?: string
  table_name?: string
}

/** The table written, and the caller's tables. */
export type WriteTarget = { table: Table; tables: Tables }

/**
 * PostgREST's status for a SQLSTATE; for errors that the request itself caused and for which PostgREST answers 500, a
 * 4xx instead: too much (54), conflicting statements (21, 55), errors raised by a function or trigger (P0, 09, 2F, 38,
 * 39, and invented states). Null for errors unrelated to the request.
 */
export function statusOfState(state: string): number | null {
  if (state in statusByState) return statusByState[state]!
  return statusByClass[state.slice(0, 2)] ?? (isMadeUp(state) ? 400 : null)
}

const statusByState: Record<string, number> = {
  '23503': 409,
  '23505': 409,
  '23P01': 409,
  '23001': 409,
  '42883': 404,
  '42P01': 404,
  '3F000': 404,
  '42501': 403,
  '25006': 405,
}

const statusByClass: Record<string, number> = {
  '09': 400,
  '0A': 400,
  '0L': 403,
  '0P': 403,
  '20': 400,
  '21': 400,
  '22': 400,
  '23': 400,
  '28': 403,
  '2B': 400,
  '2F': 400,
  '38': 400,
  '39': 400,
  '42': 400,
  '44': 400,
  '54': 400,
  '55': 400,
  P0: 400,
}

/**
 * PostgreSQL's error in PostgREST's form: its own SQLSTATE and message, without any value.
 * @throws RestFailure; or the given error, if it is a Failure already or unrelated to the request
 */
export function throwDatabaseFailure(error: unknown, written?: WriteTarget): never {
  const state = error instanceof Failure ? undefined : sqlState(error)
  const status = state ? (ownStatus(state) ?? statusOfState(state)) : null
  if (!state || status === null || isServiceState(state)) throw error
  const source = driverError(error) as DatabaseError
  const { message, detail, hint, constraint_name } = source
  const key = keyInDetail(detail ?? '', written?.table, constraint_name)
  const said = isRaised(state)
    ? { message, details: detail ?? null, hint: hint ?? null }
    : withoutValues(state, message, keyOnly(key, detail), hint)
  const lostPlus = state.startsWith('22') ? lostPlusHint(error) : null
  if (lostPlus) said.hint = String(lostPlus)
  const counted = state === counterAtEnd && written ? countedColumnIn(written.table, message) : null
  if (counted !== null) said.details = `The counter of column "${counted}" is at its end.`
  if (state.startsWith('23') && written && canNameHidden(source, written))
    Object.assign(said, { message: said.message.replaceAll(/ "[^"]*"/g, ''), details: null })
  throw new RestFailure({ status, code: state, ...said }, failureKindOf(status), error)
}

/**
 * Constraints are named after columns and tables, some of which a restricted caller may not know: those of the table
 * written, or of a table that links to it.
 */
function canNameHidden({ schema_name: schema, table_name: name }: DatabaseError, { table, tables }: WriteTarget): boolean {
  const isOpen = (at: Table | undefined) => at?.columns.every(({ access }) => !access) ?? false
  return !isOpen(table) || (tables.isNarrowed && name !== undefined && !isOpen(tables.byQualifiedName.get(`${schema}.${name}`)))
}

/** Timeouts, locks, disk space: `db/errors.ts` responds to these. */
const isServiceState = (state: string) => /^(55P03|57...|53...|08...|40...)$/.test(state)

/** `raise sqlstate 'PT402'` chooses its status. */
function ownStatus(state: string): number | null {
  const [, digits] = /^PT([45]\d\d)$/.exec(state) ?? []
  return digits === undefined ? null : Number(digits)
}

/** Whether the author of a function or trigger wrote the message for the caller. */
const isRaised = (state: string) => state === 'P0001' || isMadeUp(state)

const kindByStatus: Record<number, FailureKind> = { 403: 'forbidden', 404: 'not_found', 405: 'method_not_allowed', 409: 'conflict' }
const failureKindOf = (status: number): FailureKind => kindByStatus[status] ?? 'invalid_request'

/**
 * PostgreSQL repeats values in messages of class 22, in other messages after a colon, in nearly all details, and in
 * hints about values.
 */
function withoutValues(state: string, message: string, details: string | null, hint: string | undefined) {
  const isAboutValue = state.startsWith('22') || state === '42601' || state === '42P02'
  return {
    message: isAboutValue ? message.replace(/:? *".*"/s, '').replace(/: *"[^"]*$/s, '') : message.replace(/: ".*$/s, ''),
    details,
    hint: isAboutValue ? null : (hint ?? null),
  }
}

/** `Key (email)=(ada@example.org) already exists.` → `Key (email) already exists.`; any other detail may hold a row. */
function keyOnly(key: string | null, detail: string | undefined): string | null {
  const [, rest] =
    /\)=\(.*\) (already exists\.|is not present in table ".*"\.|is still referenced from table ".*"\.|conflicts with existing key) ?/s.exec(
      detail ?? '',
    ) ?? []
  if (key === null || rest === undefined) return null
  return `Key (${key}) ${rest.startsWith('conflicts') ? 'conflicts with an existing key.' : rest}`
}
