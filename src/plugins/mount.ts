import { type AnyElysia, type DocumentDecoration, Elysia } from 'elysia'
import { authHooks } from '../auth/hooks'
import type { Actor } from '../auth/identity/actor'
import type { Deps } from '../deps'
import { pluginLimit } from '../http/body'
import type { Host } from './call'
import { describeEndpoint } from './description'
import type { PluginEndpoint } from './load/declaration'
import type { Plugin } from './load/load'
import { type Params, pluginBodyOf, readRequest } from './request'
import { runCall } from './run'

type Context = { request: Request; params: Params | undefined; actor?: Actor }

/** Custom endpoints: one route each, whose publicness is that of the declaration that it was made from (SEC-69). */
export function mountPlugin(deps: Deps & Host, plugin: Plugin): AnyElysia {
  const prefix = `/api/v1/custom/${plugin.name}`
  const routes = new Elysia({ name: `plugins/${plugin.name}`, prefix, tags: ['custom'] }).use(authHooks(deps))
  for (const endpoint of plugin.endpoints) {
    const detail = describeEndpoint(plugin.name, endpoint)
    // Elysia prepares what it sees the handler take of the context, and nothing else.
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

/** R9: outside of the middleware. Nothing is looked at before the endpoint's own `allow`. */
const unasked = (detail: DocumentDecoration) => ({ parse: [() => null], detail: { ...detail, 'x-needs': 'open' } as DocumentDecoration })

async function answer(deps: Deps & Host, plugin: Plugin, endpoint: PluginEndpoint, { request, params, actor }: Context): Promise<Response> {
  const body = pluginBodyOf(request, pluginLimit(deps.config, endpoint.maxBodyBytes))
  const read = await readRequest(endpoint, request, params ?? {}, body)
  return runCall(deps, plugin, endpoint, { request, read, body, actor: actor ?? null })
}
