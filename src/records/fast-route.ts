import { optimisticReader } from '../auth/identity/authorize'
import { respondWhenVerified } from '../auth/identity/verified-session'
import type { Deps } from '../deps'
import type { Handler } from '../http/serve'
import { canReach, findTable, type Tables } from '../tables/catalog/catalog'
import { oneRecord } from './native/responses'
import { readRow } from './postgrest/reads'
import { readCall } from './postgrest/request/call'
import { answerRead } from './postgrest/responses'
import { readKey } from './store/key'
import { keyReaderOf } from './store/reads/reader'

/** `/api/v1/tables/{tableId}/records/{pk}` and no more, with a key that needs no decoding. */
const recordPattern = /^https?:\/\/[^/]+\/api\/v1\/tables\/([\w-]+)\/records\/([\w.-]+)$/

/** `/rest/v1/{table}?{column}=eq.{value}` and no more. */
const rowPattern = /^https?:\/\/[^/]+\/rest\/v1\/([\w-]+)\?\w+=eq\.[\w.-]+$/

/**
 * Reads by key are what scripts do most, and of such a request the way through the routes takes as long as everything
 * else. So a whole record that is asked for in the plainest way, by a token that was seen before, is answered here, by
 * the same judges as in `routes.ts` and with nothing to wait for but the record. Whatever is not so plain, and whatever
 * goes wrong, goes the long way as if it had not been here: it has only read.
 */
export const readQuickly =
  (deps: Deps) =>
  (handler: Handler): Handler =>
  (request, info) => {
    const reading = request.method === 'GET' && deps.isServing() ? readingOf(deps, request) : null
    if (!reading) return handler(request, info)
    const goLongWay = () => handler(request, info)
    return reading.then((answer) => answer ?? goLongWay(), goLongWay)
  }

/**
 * Null where it is not so plain; a promise of null where there is no such record, or where who asks for it is somebody
 * else by now.
 */
function readingOf(deps: Deps, request: Request): Promise<Response | null> | null {
  const { headers, url } = request
  const authorization = headers.get('authorization')
  if (!authorization || headers.has('cookie') || headers.has('if-none-match')) return null
  const [, reference, key] = recordPattern.exec(url) ?? []
  const [, name] = reference ? [] : (rowPattern.exec(url) ?? [])
  if (!reference && !name) return null
  try {
    const reader = optimisticReader(deps, request, authorization)
    const tables = reader && deps.catalog.cached(reader.catalogVersion)
    if (!tables) return null
    const found = name ? readOneRow(deps, request, reader, tables, name) : readRecord(deps, reader, tables, reference!, key!)
    return found?.then((make) => make && respondWhenVerified(deps.lookup, reader.cachedIdentity, make)) ?? null
  } catch {
    return null
  }
}

type OptimisticReader = NonNullable<ReturnType<typeof optimisticReader>>

/** What makes the answer of what was found; `readingOf` alone decides whether it may be made. */
type PendingResponse = Promise<(() => Response) | null>

function readRecord({ db }: Deps, reader: OptimisticReader, tables: Tables, reference: string, key: string): PendingResponse | null {
  const table = findTable(tables, reference)
  if (!table?.rights.select || !canReach(reader, table)) return null
  return keyReaderOf(db, table)(readKey(table, key), reader.cachedIdentity).then((record) => (record ? () => oneRecord(record) : null))
}

function readOneRow({ db }: Deps, request: Request, reader: OptimisticReader, tables: Tables, name: string): PendingResponse | null {
  // For whoever reaches some tables only, there are others.
  if (reader.token?.tables) return null
  const call = readCall(tables, reader, request)
  const table = tables.byQualifiedName.get(`${call.schema}.${name}`)
  const rows = table ? readRow(db, { ...call, table }) : null
  return rows?.then((found) => (found.length > 0 ? () => answerRead(call, found) : null)) ?? null
}
