import { Elysia } from 'elysia'
import { authHooks } from '../../auth/hooks'
import type { Actor } from '../../auth/identity/actor'
import { authOf } from '../../auth/identity/authorize'
import type { Executor } from '../../db/pool/open'
import type { Deps } from '../../deps'
import { readText, recordsLimit } from '../../http/request/body'
import { type Tables, tablesFor } from '../../tables/catalog/catalog'
import { callWithTables, readWithCurrentTables, writeWithCurrentTables } from '../../tables/catalog/stale-definitions'
import { readKeyedRequest, respondOnce } from '../idempotency'
import * as described from './description'
import { throwRestError } from './errors/engine-errors'
import { describeRest } from './openapi'
import { readRows } from './reads'
import { type RestPayload, readBody } from './request/body'
import { readCall, readTableCall } from './request/call'
import { readProfile } from './request/profile'
import { answerCall, answerRead, answerWrite } from './responses'
import { callFunction } from './rpc/function-call'
import { putRecord } from './writes/put'
import type { WriteOutcome } from './writes/representation'
import { planWrite, type RestWrite } from './writes/write-plan'
import { changeRecords, insertRecords, removeRecords } from './writes/writes'

type RestContext = { actor: Actor; params: { table: string }; request: Request }

/** A new object for each route: Elysia caches data in the options object itself, with the `deps` of that app. */
const writer = ({ isOptimistic }: { isOptimistic: boolean }) => ({ role: { least: 'editor', body: 'unread', isOptimistic } }) as const

/** PostgREST's API: https://docs.postgrest.org/en/v12/references/api.html */
export const restRoutes = (deps: Deps) => {
  const { db, catalog, config } = deps

  const textOf = (request: Request) => readText(request, recordsLimit(config))
  const bodyOf = async (request: Request) => readBody(request.headers.get('content-type'), await textOf(request))

  /** Authenticates again once the body has arrived, since a role or a rule may have changed while it was sent. */
  const callerAfterBody = async (caller: Actor, request: Request): Promise<Actor> => {
    if (!request.body) return caller
    await textOf(request)
    return authOf(deps, request).require()
  }

  /** Only a POST takes a key: when repeated, it would create another record. */
  const keyedRequest = async (actor: Actor, request: Request, tables: Tables) =>
    request.method === 'POST' && request.headers.has('idempotency-key')
      ? readKeyedRequest(request, actor, await textOf(request), tables)
      : null

  // Both destructure their context by name, as `named` in records/native/routes.ts does.
  const writing =
    (perform: (executor: Executor, write: RestWrite, body: () => Promise<RestPayload>) => Promise<WriteOutcome>) =>
    async ({ actor: caller, params, request }: RestContext) => {
      let read: Promise<RestPayload> | undefined
      const body = () => (read ??= bodyOf(request))
      return writeWithCurrentTables(catalog, await callerAfterBody(caller, request), async (tables, actor) => {
        const write = planWrite(await readTableCall(catalog, tables, actor, request, params.table))
        const keyed = await keyedRequest(actor, request, tables)
        return respondOnce(
          db,
          keyed,
          async (executor) => answerWrite(write, await perform(executor, write, body)),
          (error) => throwRestError(error, write),
        )
      })
    }
  const calling =
    () =>
    async ({ actor: caller, params, request }: { actor: Actor; params: { function: string }; request: Request }) => {
      const actor = await callerAfterBody(caller, request)
      return callWithTables(catalog, actor, async (tables) => {
        const body = request.method === 'POST' ? await textOf(request) : ''
        const call = {
          ...readCall(tables, actor, request),
          actor,
          name: params.function,
          contentType: request.headers.get('content-type'),
          body,
        }
        const keyed = await keyedRequest(actor, request, tables)
        return respondOnce(
          db,
          keyed,
          async (executor) => answerCall(call, await callFunction(executor, config.rpc, call)),
          (error) => throwRestError(error),
        )
      })
    }

  return new Elysia({ name: 'records/postgrest/routes', prefix: '/rest/v1', tags: ['rest'] })
    .use(authHooks(deps))
    .get(
      '/',
      async ({ actor, request }) => {
        const tables = await tablesFor(catalog, actor)
        const schema = readProfile(request, tables.schemas)
        const described = describeRest(tables, schema, '/rest/v1')
        return new Response(JSON.stringify(described), { headers: { 'content-type': 'application/openapi+json; charset=utf-8' } })
      },
      { signedIn: 'data', detail: described.describeRoot },
    )
    .get('/rpc/:function', calling(), { signedIn: 'data', detail: described.describeCall })
    .post('/rpc/:function', calling(), { signedIn: { area: 'data', body: 'unread' }, detail: described.describePostedCall })
    .get(
      '/:table',
      ({ actor, params, request }) =>
        readWithCurrentTables(catalog, actor, async (tables) => {
          const call = await readTableCall(catalog, tables, actor, request, params.table)
          return answerRead(call, await readRows(db, call))
        }),
      { optimistic: 'data', detail: described.describeRead },
    )
    .post(
      '/:table',
      writing(async (executor, write, body) => insertRecords(executor, write, await body())),
      { ...writer({ isOptimistic: true }), detail: described.describeInsert },
    )
    .patch(
      '/:table',
      writing(async (executor, write, body) => changeRecords(executor, write, await body())),
      { ...writer({ isOptimistic: true }), detail: described.describeUpdate },
    )
    .put(
      '/:table',
      writing(async (executor, write, body) => putRecord(executor, write, await body())),
      { ...writer({ isOptimistic: false }), detail: described.describePut },
    )
    .delete(
      '/:table',
      writing((executor, write) => removeRecords(executor, write)),
      { ...writer({ isOptimistic: false }), detail: described.describeRemove },
    )
}
