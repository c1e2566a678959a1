import { Elysia } from 'elysia'
import type { Actor } from '../../auth/actor'
import { authHooks } from '../../auth/hooks'
import type { Deps } from '../../deps'
import { readText } from '../../http/limits'
import { type Tables, tablesFor } from '../../tables/catalog'
import { rereadIfStale, withFreshTables } from '../../tables/stale'
import { answerCall, answerRead, answerWrite } from './answers'
import { readBody } from './body'
import { readCall, readTableCall } from './call'
import { describeRest } from './openapi'
import { readProfile } from './profile'
import { putRecord } from './put'
import { readRows } from './reads'
import type { Outcome } from './representation'
import { callFunction } from './rpc'
import { changeRecords, insertRecords, planWrite, removeRecords, type Write } from './writes'

type Context = { actor: Actor; params: { table: string }; request: Request }

/** A new one for each route: Elysia puts the hooks of the app into the object that it gets. */
const writer = () => ({ role: { least: 'editor', body: 'unread' } }) as const

/** PostgREST's contract: https://docs.postgrest.org/en/v12/references/api.html */
export const restRoutes = (deps: Deps) => {
  const { db, catalog, config } = deps

  /** For what is not repeated with new definitions, but lets the next request have them. */
  const withTables = async (actor: Actor, work: (tables: Tables) => Promise<Response>): Promise<Response> => {
    try {
      return await work(await tablesFor(catalog, actor))
    } catch (error) {
      await rereadIfStale(catalog, error)
      throw error
    }
  }

  const writing = (perform: (write: Write, request: Request) => Promise<Outcome>) => async (context: Context) => {
    const { actor, params, request } = context
    return withTables(actor, async (tables) => {
      const write = planWrite(await readTableCall(catalog, tables, actor, request, params.table))
      return answerWrite(write, await perform(write, request))
    })
  }
  const calling = () => (context: { actor: Actor; params: { function: string }; request: Request }) =>
    withTables(context.actor, async (tables) => {
      const { actor, params, request } = context
      const body = request.method === 'POST' ? await readText(request, config.maxBodyBytes) : ''
      const call = {
        ...readCall(tables, actor, request),
        actor,
        name: params.function,
        contentType: request.headers.get('content-type'),
        body,
      }
      return answerCall(call, await callFunction(db, config.rpc, call))
    })

  const bodyOf = async (request: Request) => readBody(request.headers.get('content-type'), await readText(request, config.maxBodyBytes))

  return new Elysia({ name: 'records/rest/routes', prefix: '/rest/v1', tags: ['rest'] })
    .use(authHooks(deps))
    .get(
      '/',
      async ({ actor, request }) => {
        const tables = await tablesFor(catalog, actor)
        const schema = readProfile(request, tables.schemas)
        const described = describeRest(
          tables.list.filter((table) => table.schema === schema),
          '/rest/v1',
        )
        return new Response(JSON.stringify(described), { headers: { 'content-type': 'application/openapi+json; charset=utf-8' } })
      },
      { signedIn: 'data' },
    )
    .get('/rpc/:function', calling(), { signedIn: 'data' })
    .post('/rpc/:function', calling(), { signedIn: { area: 'data', body: 'unread' } })
    .get(
      '/:table',
      ({ actor, params, request }) =>
        withFreshTables(catalog, actor, async (tables) => {
          const call = await readTableCall(catalog, tables, actor, request, params.table)
          return answerRead(call, await readRows(db, call))
        }),
      { signedIn: 'data' },
    )
    .post(
      '/:table',
      writing(async (write, request) => insertRecords(db, write, await bodyOf(request))),
      writer(),
    )
    .patch(
      '/:table',
      writing(async (write, request) => changeRecords(db, write, await bodyOf(request))),
      writer(),
    )
    .put(
      '/:table',
      writing(async (write, request) => putRecord(db, write, await bodyOf(request))),
      writer(),
    )
    .delete(
      '/:table',
      writing((write) => removeRecords(db, write)),
      writer(),
    )
}
