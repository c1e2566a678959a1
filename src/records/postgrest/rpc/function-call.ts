import type { Actor } from '../../../auth/identity/actor'
import { allTablesNeeded } from '../../../auth/identity/actor'
import { withReason } from '../../../auth/refusal-reason'
import type { Executor, Query } from '../../../db/pool/open'
import { inOneTrip } from '../../../db/pool/pipelining'
import { catalogPath, ownPath, schemaFirst } from '../../../db/search-path'
import { forbidden } from '../../../errors'
import { parseJson } from '../../../http/request/body'
import { translatable } from '../../../messages/message'
import type { Table } from '../../../tables/model'
import { identifier } from '../../../tables/sql-text'
import { isOperation } from '../../query/parse/filter'
import { type Pair, readPairs } from '../../query/parse/pairs'
import { parseQuery } from '../../query/parse/query'
import { planRead } from '../../query/plan/read'
import { runAtomically } from '../../store/writes/transaction'
import { throwRestError } from '../errors/engine-errors'
import { throwRestFailure } from '../errors/failure'
import { mostRows } from '../prepared-query'
import { type Rows, requireSingle } from '../reads'
import type { Call } from '../request/call'
import { readRowRange } from '../request/range'
import { type DatabaseFunction, findFunction, type Listed, takesJson } from './functions'
import { rowsOf } from './rows'
import { type Arguments, functionRowsStatement, valueStatement } from './sql'

export type RpcCall = Call & { actor: Actor; name: string; contentType: string | null; body: string }

/** The filters on the result, and the arguments of the function. */
type CallParameters = { filters: Pair[]; sent: Arguments; names: string[] | null }

/** `rows` is null for a function that returns nothing. */
export type Called = { rows: Rows | null; contentType: string }

/**
 * Calls a function of a served schema that ROWHOUSE_RPC lists.
 * @throws RestFailure; Failure forbidden, insufficient_scope
 */
export async function callFunction(executor: Executor, listed: Listed, call: RpcCall): Promise<Called> {
  // A function may access any table.
  if (call.actor.token?.tables) throw allTablesNeeded()
  try {
    const asked = call.method === 'POST' ? fromBody(call) : parametersFromQuery(call.search)
    const options = { isDryRun: call.preferences.tx === 'rollback', needsTransaction: true }
    // The settings below apply only to the call. Within a transaction, the end of a savepoint resets them.
    const within = <Result>(work: (inside: Executor) => Promise<Result>): Promise<Result> =>
      executor.isTransaction && !options.isDryRun ? executor.transaction(work) : runAtomically(executor, options, work)
    return await within(async ({ query }) => {
      const find = () => findFunction(query, listed, call.schema, call.name, asked.names)
      const found = await inOneTrip(() => query(catalogPath), find)
      requireCallable(call, found)
      requireSafe(call, listed, found)
      const values = [identifier(call.schema), found.volatility === 'volatile' ? 'off' : 'on']
      await inOneTrip(
        () => query(ownPath),
        () => query(callSettings, values),
      )
      return perform(query, call, found, asked)
    })
  } catch (error) {
    throwRestError(error)
  }
}

/**
 * The function resolves names as with PostgREST: first in the request's schema, then in the role's own path. A
 * read-only function cannot call one that writes.
 */
const callSettings = `select pg_catalog.set_config('search_path', ${schemaFirst('$1::text')}, true), pg_catalog.set_config('transaction_read_only', $2::text, true)`

/** A function reads and writes with the rights of the service, not with the rights that rules give its caller. */
function requireSafe({ tables }: RpcCall, listed: Listed, { schema, name, volatility }: DatabaseFunction): void {
  const isSafe = listed.some((item) => item.isSafe && item.name === name && (item.schema === null || item.schema === schema))
  const isLimited = volatility === 'volatile' ? tables.isWriteNarrowed : tables.isNarrowed
  if (isLimited && !isSafe)
    throw withReason(forbidden(translatable('Callers whose access is limited by rules may not call this function.')), 'rule', name)
}

function requireCallable({ actor, method }: RpcCall, { volatility }: DatabaseFunction): void {
  if (volatility !== 'volatile') return
  if (method !== 'POST')
    throwRestFailure(405, 'PGRST101', `Cannot use the ${method} method on a volatile function`, null, 'Call it with POST.')
  if (actor.user.role === 'viewer')
    throw withReason(forbidden(translatable('This function may change data; calling it needs the role editor.')), 'role_lacks', 'editor')
}

/** Parameters that are not filters are arguments, as in PostgREST; a repeated one is a list. */
function parametersFromQuery(search: string): CallParameters {
  const filters: Pair[] = []
  const values = new Map<string, string[]>()
  for (const [name, value] of readPairs(search)) {
    if (isArgument(name, value)) values.set(name, [...(values.get(name) ?? []), value])
    else filters.push([name, value])
  }
  return { filters, sent: { kind: 'texts', values }, names: [...values.keys()] }
}

const reservedParameters = /^(select|order|limit|offset|and|or|not\.and|not\.or|columns|on_conflict|token)$/

const isArgument = (name: string, value: string) => !reservedParameters.test(name) && !name.includes('.') && !isOperation(value)

function fromBody({ contentType, body, search }: RpcCall): CallParameters {
  const filters = [...readPairs(search)]
  const type = (contentType ?? 'application/json').split(';')[0]!.trim().toLowerCase()
  if (type === 'application/x-www-form-urlencoded') {
    const values = Map.groupBy(new URLSearchParams(body), ([name]) => name)
    const texts = new Map([...values].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]))
    return { filters, sent: { kind: 'texts', values: texts }, names: [...texts.keys()] }
  }
  if (type !== 'application/json') throwRestFailure(400, 'PGRST102', 'Content-Type not acceptable', null, 'Send application/json.')
  const json = body.trim() === '' ? '{}' : body
  const value = parseJson(json)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return { filters, sent: { kind: 'json', json }, names: isObject ? Object.keys(value) : null }
}

async function perform(query: Query, call: RpcCall, found: DatabaseFunction, { filters, sent, names }: CallParameters): Promise<Called> {
  const used = { sent, names: takesJson(found) ? [] : (names ?? []) }
  if (found.columns === null || found.isVoid) return performValue(query, call, found, filters, used)
  const { tables, media, range, preferences } = call
  const parsed = parseQuery(filters, 'postgrest')
  const { offset, limit } = readRowRange(range, parsed, mostRows)
  const plan = { ...planRead(tables, resultTable(call, found), parsed, { dialect: 'postgrest' }), offset, limit }
  // A function that returns one row returns it without an array.
  const form = found.isSet || media.form !== 'array' ? media : { ...media, form: 'object' as const }
  const statement = functionRowsStatement(found, used, plan, form)
  const [row] = await query<{ body: string; length: number; count: number }>(statement.text, statement.parameters, { prepare: false })
  // The filters may have excluded the only row: the result is then null.
  const isNull = !found.isSet && form.form === 'object' && row!.length === 0
  const rows = isNull ? { ...row!, body: 'null', length: 1 } : row!
  if (media.form === 'object') requireSingle(rows.length)
  requireAffectedWithin(call, row!.count)
  return { rows: { ...rows, offset, total: preferences.count ? row!.count : undefined }, contentType: media.contentType }
}

async function performValue(
  query: Query,
  call: RpcCall,
  found: DatabaseFunction,
  filters: Pair[],
  used: { sent: Arguments; names: string[] },
): Promise<Called> {
  const { media } = call
  if (media.form === 'csv') throwRestFailure(406, 'PGRST107', 'None of these media types are available: text/csv')
  const { offset, limit } = readRowRange(call.range, parseQuery(filters, 'postgrest'), mostRows)
  const statement = valueStatement(found, used, { offset, limit })
  const [row] = await query<{ body: string; length: number; count: number }>(statement.text, statement.parameters, { prepare: false })
  if (found.isVoid) return { rows: null, contentType: media.contentType }
  if (found.isSet) {
    if (media.form === 'object') requireSingle(row!.length)
    requireAffectedWithin(call, row!.count)
  }
  return { rows: { ...row!, offset, total: call.preferences.count ? row!.count : undefined }, contentType: media.contentType }
}

function requireAffectedWithin({ preferences: { maxAffected } }: Call, count: number): void {
  if (maxAffected !== undefined && count > maxAffected) {
    throwRestFailure(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', `The query affects ${count} rows`)
  }
}

/**
 * The table whose rows the function returns, with everything that a query can use in it; otherwise a table of only the
 * result's columns.
 */
const resultTable = ({ tables }: Call, found: DatabaseFunction): Table =>
  (found.relation && tables.byQualifiedName.get(`${found.relation.schema}.${found.relation.name}`)) || rowsOf(found)
