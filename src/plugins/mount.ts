import { type AnyElysia, type DocumentDecoration, Elysia } from 'elysia'
import { addressBudget, type Budgets, tokenBudget } from '../auth/budgets'
import { authHooks } from '../auth/hooks'
import type { Actor } from '../auth/identity/actor'
import { authOf } from '../auth/identity/authorize'
import type { Deps } from '../deps'
import { pluginLimit } from '../http/request/body'
import { infoOf } from '../http/request/request-info'
import type { CallDeps } from './call'
import { describeEndpoint } from './description'
import type { PluginEndpoint } from './load/declaration'
import type { Plugin } from './load/load'
import { type Params, pluginBodyOf, readRequest } from './request'
import { runCall } from './run'

type Context = { request: Request; params: Params | undefined; actor?: Actor }

/** Mounts each custom endpoint as a route. The route is public exactly when the endpoint's declaration is (SEC-69). */
export function mountPlugin(deps: Deps & CallDeps, plugin: Plugin): AnyElysia {
  const prefix = `/api/v1/custom/${plugin.name}`
  const routes = new Elysia({ name: `plugins/${plugin.name}`, prefix, tags: ['custom'] }).use(authHooks(deps))
  for (const endpoint of plugin.endpoints) {
    const detail = describeEndpoint(plugin.name, endpoint)
    // Elysia prepares only those parts of the context that the handler's parameters name.
    if (endpoint.isPublic)
      routes.route(
        endpoint.method,
        endpoint.path,
        ({ request, params }) => answer(deps, plugin, endpoint, { request, params }),
        unasked(detail),
      )
    else
      routes.route(
        endpoint.method,
        endpoint.path,
        ({ request, params, actor }) => answer(deps, plugin, endpoint, { request, params, actor }),
        { signedIn: { area: 'data', body: 'unread' }, detail },
      )
  }
  return routes
}

/** R9: a public endpoint is outside of the middleware. No credential is read before the endpoint's own `allow`. */
const unasked = (detail: DocumentDecoration) => ({ parse: [() => null], detail: { ...detail, 'x-needs': 'open' } as DocumentDecoration })

async function answer(
  deps: Deps & CallDeps,
  plugin: Plugin,
  endpoint: PluginEndpoint,
  { request, params, actor }: Context,
): Promise<Response> {
  if (endpoint.limit) await requireBudget(deps.budgets, plugin, endpoint, request, actor)
  const body = pluginBodyOf(request, pluginLimit(deps.config, endpoint.maxBodyBytes))
  const read = await readRequest(endpoint, request, params ?? {}, body)
  // The caller was looked up again if the body took long.
  const current = actor && request.body ? await authOf(deps, request).require() : actor
  return runCall(deps, plugin, endpoint, { request, read, body, actor: current ?? null })
}

/** @throws Failure too_many_requests */
async function requireBudget(budgets: Budgets, { name }: Plugin, { method, path, limit }: PluginEndpoint, request: Request, actor?: Actor) {
  const purpose = `plugin ${name} ${method} ${path}`
  if (limit?.perIp) await budgets.take(addressBudget(purpose, infoOf(request).address, limit.perIp))
  if (limit?.perToken && actor?.token) await budgets.take(tokenBudget(purpose, actor.token.id, limit.perToken))
}
