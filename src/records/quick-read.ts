import { admit } from '../auth/admission'
import type { Deps } from '../deps'
import type { Handler } from '../http/serve'
import { getTable, tablesFor } from '../tables/catalog'
import { oneRecord } from './answers'
import { readKey } from './key'
import { answerRead } from './rest/answers'
import { readTableCall } from './rest/call'
import { readRow } from './rest/reads'
import { getRecord } from './service'

/** `/api/v1/tables/{tableId}/records/{pk}` and no more, with a key that needs no decoding. */
const record = /^https?:\/\/[^/]+\/api\/v1\/tables\/([\w-]+)\/records\/([\w.-]+)$/

/** `/rest/v1/{table}?{column}=eq.{value}` and no more. */
const row = /^https?:\/\/[^/]+\/rest\/v1\/([\w-]+)\?\w+=eq\.[\w.-]+$/

/**
 * Reads by key are what scripts do most, and of such a request the way through the routes takes as long as everything else. So a whole record that is asked for in
 * the plainest way, by a token in the header, is answered here, by the same judges as in `routes.ts`. Whatever is not so plain, and whatever goes wrong, goes the long
 * way as if it had not been here: it has only read.
 */
export const readQuickly =
  (deps: Deps) =>
  (handler: Handler): Handler =>
  (request) => {
    if (request.method !== 'GET' || !deps.isServing() || !isPlain(request.headers)) return handler(request)
    const answer = answerOf(deps, request)
    return answer
      ? answer.then(
          (found) => found ?? handler(request),
          () => handler(request),
        )
      : handler(request)
  }

const isPlain = (headers: Headers) => headers.has('authorization') && !headers.has('cookie') && !headers.has('if-none-match')

function answerOf(deps: Deps, request: Request): Promise<Response | null> | null {
  const [, reference, key] = record.exec(request.url) ?? []
  if (reference && key) return readRecord(deps, request, reference, key)
  const [, name] = row.exec(request.url) ?? []
  return name ? readOneRow(deps, request, name) : null
}

async function readRecord(deps: Deps, request: Request, reference: string, key: string): Promise<Response> {
  const actor = await admit(deps, request, { area: 'data' }, true)
  const table = await getTable(deps.catalog, actor, reference)
  return oneRecord(await getRecord(deps.db, table, readKey(table, key), actor.presumed))
}

/** Null where more is asked for than it seemed. */
async function readOneRow(deps: Deps, request: Request, name: string): Promise<Response | null> {
  const actor = await admit(deps, request, { area: 'data' }, true)
  const call = await readTableCall(deps.catalog, await tablesFor(deps.catalog, actor), actor, request, name)
  const rows = await readRow(deps.db, call)
  return rows && answerRead(call, rows)
}
