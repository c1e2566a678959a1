import { callerIds, optimisticReader } from '../auth/identity/authorize'
import { respondWhenVerified } from '../auth/identity/deferred-verification'
import type { Deps } from '../deps'
import type { RequestInfo } from '../http/request/request-info'
import type { Handler } from '../http/server/serve'
import { findTable, type Tables } from '../tables/catalog/catalog'
import { canReach, reachableColumns } from '../tables/catalog/links/reach'
import { allowsRead } from '../tables/row-rules'
import { oneRecord } from './native/responses'
import { readRow } from './postgrest/reads'
import { readCall } from './postgrest/request/call'
import { answerRead } from './postgrest/responses'
import { readKey } from './store/key'
import { keyReaderOf } from './store/reads/reader'

/** Exactly `/api/v1/tables/{tableId}/records/{pk}`, with a key that needs no decoding. */
const recordPattern = /^https?:\/\/[^/]+\/api\/v1\/tables\/([\w-]+)\/records\/([\w.-]+)$/

/** Exactly `/rest/v1/{table}?{column}=eq.{value}`. */
const rowPattern = /^https?:\/\/[^/]+\/rest\/v1\/([\w-]+)\?\w+=eq\.[\w.-]+$/

/**
 * Scripts mostly read records by key, and the router and its hooks take as long as the rest of such a request. So a GET
 * of a whole record by key, with a token in the identity cache, is answered here. It makes the same checks as
 * `routes.ts`, and waits only for the record. Any other request, and any request that fails here, goes through the
 * routes: a failed attempt has only read.
 */
export const readQuickly =
  (deps: Deps) =>
  (handler: Handler): Handler =>
  (request, info) => {
    const reading = request.method === 'GET' && deps.isServing() ? readingOf(deps, request, info) : null
    if (!reading) return handler(request, info)
    const goLongWay = () => handler(request, info)
    return reading.then((answer) => answer ?? goLongWay(), goLongWay)
  }

/**
 * Returns null when the request is not eligible for the fast route; resolves to null when the record does not exist or
 * the caller is no longer valid.
 */
function readingOf(deps: Deps, request: Request, info: RequestInfo): Promise<Response | null> | null {
  const { headers, url } = request
  const authorization = headers.get('authorization')
  if (!authorization || headers.has('cookie') || headers.has('if-none-match')) return null
  const [, reference, key] = recordPattern.exec(url) ?? []
  const [, name] = reference ? [] : (rowPattern.exec(url) ?? [])
  if (!reference && !name) return null
  try {
    const reader = optimisticReader(deps, request, authorization)
    const cached = reader && deps.catalog.cached(reader.catalogVersion)
    if (!cached) return null
    const tables = deps.catalog.narrow(cached, reader)
    info.caller = callerIds(reader)
    const found = name ? readOneRow(deps, request, reader, tables, name) : readRecord(deps, reader, tables, reference!, key!)
    return found?.then((make) => make && respondWhenVerified(deps.lookup, reader.cachedIdentity, make)) ?? null
  } catch {
    return null
  }
}

type OptimisticReader = NonNullable<ReturnType<typeof optimisticReader>>

/** Makes the response from the row; null if no row was found. `readingOf` calls it once the caller is verified. */
type PendingResponse = Promise<(() => Response) | null>

function readRecord({ db }: Deps, reader: OptimisticReader, tables: Tables, reference: string, key: string): PendingResponse | null {
  const table = findTable(tables, reference)
  if (!table?.rights.select || !canReach(reader, table) || !allowsRead(table)) return null
  return keyReaderOf(db, reachableColumns(reader, table))(readKey(table, key), reader.cachedIdentity).then((record) =>
    record ? () => oneRecord(record) : null,
  )
}

function readOneRow({ db }: Deps, request: Request, reader: OptimisticReader, tables: Tables, name: string): PendingResponse | null {
  // A token that is restricted to some tables goes through the routes.
  if (reader.token?.tables) return null
  const call = readCall(tables, reader, request)
  const table = tables.byQualifiedName.get(`${call.schema}.${name}`)
  const rows = table && allowsRead(table) ? readRow(db, { ...call, table }) : null
  return rows?.then((found) => (found.length > 0 ? () => answerRead(call, found) : null)) ?? null
}
