import { admit } from '../auth/admission'
import type { Deps } from '../deps'
import type { Handler } from '../http/serve'
import { getTable } from '../tables/catalog'
import { oneRecord } from './answers'
import { readKey } from './key'
import { getRecord } from './service'

/** `/api/v1/tables/{tableId}/records/{pk}` and no more, with a key that needs no decoding. */
const address = /^https?:\/\/[^/]+\/api\/v1\/tables\/([\w-]+)\/records\/([\w.-]+)$/

/**
 * Reads by key are what scripts do most, and of such a request the way through the routes takes as long as everything else. So a whole record that is asked for in
 * the plainest way, by a token in the header, is answered here, by the same judges as in `routes.ts`. Whatever is not so plain, and whatever goes wrong, goes the long
 * way as if it had not been here: it has only read.
 */
export const readQuickly =
  (deps: Deps) =>
  (handler: Handler): Handler =>
  (request) => {
    if (request.method !== 'GET' || !deps.isServing()) return handler(request)
    const found = address.exec(request.url)
    if (!found || !isPlain(request.headers)) return handler(request)
    return read(deps, request, found[1]!, found[2]!).catch(() => handler(request))
  }

const isPlain = (headers: Headers) => headers.has('authorization') && !headers.has('cookie') && !headers.has('if-none-match')

async function read(deps: Deps, request: Request, reference: string, key: string): Promise<Response> {
  const actor = await admit(deps, request, { area: 'data' }, true)
  const table = await getTable(deps.catalog, actor, reference)
  return oneRecord(await getRecord(deps.db, table, readKey(table, key), actor.presumed))
}
