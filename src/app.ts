import { FormatRegistry } from '@sinclair/typebox'
import { type AnyElysia, Elysia } from 'elysia'
import { groupRoutes } from './access/groups/routes'
import { accessRoutes } from './access/routes'
import { viewAsRoutes } from './access/view-routes'
import { createFileAnswers } from './attachments/file-answers'
import { attachmentRoutes } from './attachments/routes'
import { storeFile } from './attachments/whole-file'
import { authRoutes } from './auth/accounts/routes'
import { auditRoutes } from './auth/audit/routes'
import { crossOrigin } from './auth/cross-origin'
import { identityVerification } from './auth/identity/authorize'
import { refusalRoutes } from './auth/refusals/routes'
import { backupRoutes } from './backup/routes'
import { feedRoutes } from './changes/feed/routes'
import { changeRoutes } from './changes/routes'
import { exportRoutes } from './csv/export/routes'
import { importRoutes } from './csv/import/routes'
import type { Deps } from './deps'
import { callDepsOf } from './documents/nested-documents'
import { documentRoutes } from './documents/routes'
import { invalidRequest } from './errors'
import { formDefinitionRoutes } from './forms/definition-routes'
import { formRoutes } from './forms/routes'
import type { RouteTable } from './http/request/allowed-methods'
import { rememberInfo } from './http/request/request-info'
import { type FindRoute, routeFinder } from './http/request/route-finder'
import { hasTooManyParameters, makeRoutable } from './http/request/url'
import { failures, problemWriterOf } from './http/response/errors'
import { healthRoutes } from './http/server/health'
import type { Handler } from './http/server/serve'
import { onceServing } from './http/server/serving'
import { linkPageRoutes } from './links/page-routes'
import { linkRoutes } from './links/routes'
import { translatable } from './messages/message'
import { endpointOrigins } from './plugins/endpoint-origins'
import { brokenCount, type LoadedPlugins, noPlugins, wholePlugins } from './plugins/load/loaded'
import { mountPlugin } from './plugins/mount'
import { pluginRoutes } from './plugins/routes'
import { readQuickly } from './records/fast-route'
import { batchRoutes } from './records/native/batch-routes'
import { previewRoutes } from './records/native/preview-routes'
import { recordRoutes } from './records/native/routes'
import { restErrors } from './records/postgrest/errors/dialect'
import { restRoutes } from './records/postgrest/routes'
import { sampleRoutes } from './sample/routes'
import { systemRoutes } from './system/routes'
import { tableIds } from './tables/catalog/introspection/table-ids'
import { columnRoutes } from './tables/column-routes'
import { isUuid } from './tables/column-types/uuid'
import { schemaReportRoutes } from './tables/report/routes'
import { tableRoutes } from './tables/routes'
import { namedViewRoutes, viewRoutes } from './tables/views/routes'
import { inviteRoutes } from './users/invite-routes'
import { userRoutes } from './users/routes'
import { answerPage } from './web/page'
import { webRoutes } from './web/serve'

/** Error formats by path: `/rest/v1` answers as PostgREST does. */
export const dialects = [restErrors]

// Elysia's own check accepts the prefix urn:uuid:, which PostgreSQL refuses.
FormatRegistry.Set('uuid', isUuid)

/**
 * In the order in which a request passes through. `failures` comes first: a hook covers only routes mounted after it.
 */
export function createApp(deps: Deps, plugins: LoadedPlugins = noPlugins) {
  let routes: RouteTable = []
  const host = callDepsOf(deps, plugins)
  const app = ownRoutes(deps, plugins, host, () => routes)
    .use(wholePlugins(plugins).map((plugin) => mountPlugin(host, plugin)))
    .use(webRoutes(deps, (): Promise<object> => describeRoutes(app)))
  routes = app.routes
  return app
}

/** Loaded on demand: the code that generates the description is large, and few clients request it. */
const describeRoutes = async (app: AnyElysia): Promise<object> => (await import('./web/openapi/description')).describeApi(app)

/** The browser's code imports only the types of these routes, and nothing at run time. */
export type Api = ReturnType<typeof typedRoutes>

/**
 * All routes. Only those that the browser calls through their types are in the typed chain; a chain of all routes would
 * be too long for TypeScript.
 */
function ownRoutes(deps: Deps, plugins: LoadedPlugins, host: ReturnType<typeof callDepsOf>, routes: () => RouteTable): AnyElysia {
  const app: AnyElysia = typedRoutes(deps, plugins, host, routes)
  const answerFile = createFileAnswers(deps)
  return app
    .use(healthRoutes(deps, '', brokenCount(plugins)))
    .use(authRoutes(deps, '', tablesByReference(deps)))
    .use(inviteRoutes(deps, ''))
    .use(refusalRoutes(deps, ''))
    .use(refusalRoutes(deps, '/api/v1'))
    .use(viewAsRoutes(deps))
    .use(attachmentRoutes(deps, answerFile))
    .use(batchRoutes(deps))
    .use(previewRoutes(deps))
    .use(feedRoutes(deps))
    .use(restRoutes(deps))
    .use(linkPageRoutes(host, plugins, answerFile))
    .use(formRoutes(deps))
}

const tablesByReference =
  ({ catalog }: Deps): Parameters<typeof authRoutes>[2] =>
  (...args) =>
    tableIds(catalog, ...args)

/** A separate function, because TypeScript loses the routes of a chain that mounts a list. */
function typedRoutes(deps: Deps, plugins: LoadedPlugins, host: ReturnType<typeof callDepsOf>, routes: () => RouteTable) {
  return new Elysia({ normalize: false })
    .use(failures(deps.events, routes, dialects, (request) => answerPage(request, 404)))
    .use(onceServing(deps))
    .use(healthRoutes(deps, '/api/v1', brokenCount(plugins)))
    .use(authRoutes(deps, '/api/v1', tablesByReference(deps)))
    .use(inviteRoutes(deps, '/api/v1'))
    .use(auditRoutes(deps))
    .use(userRoutes(deps, tablesByReference(deps)))
    .use(groupRoutes(deps))
    .use(systemRoutes(deps))
    .use(backupRoutes(deps))
    .use(accessRoutes(deps))
    .use(tableRoutes(deps))
    .use(columnRoutes(deps))
    .use(viewRoutes(deps))
    .use(namedViewRoutes(deps))
    .use(schemaReportRoutes(deps))
    .use(recordRoutes(deps))
    .use(exportRoutes(deps))
    .use(importRoutes(deps))
    .use(sampleRoutes(deps, storeFile(deps)))
    .use(pluginRoutes(deps, plugins))
    .use(documentRoutes(host, plugins))
    .use(linkRoutes(host, plugins))
    .use(formDefinitionRoutes(deps))
    .use(changeRoutes(deps))
}

/**
 * Reads the client IP now: after a disconnect the socket no longer has one, and login throttling needs it once the body
 * has been read.
 */
const introducing =
  (answer: (request: Request) => Response | Promise<Response>): Handler =>
  (request, info) => {
    info.address
    if (hasTooManyParameters(request.url)) return problemWriterOf(dialects, request)(tooManyParameters(), info.id)
    makeRoutable(request)
    rememberInfo(request, info)
    return info.scope.run(() => answer(request))
  }

const tooManyParameters = () => invalidRequest(translatable('The query has more than 1000 parameters.'))

/** For metrics and the access log, including requests on the fast route. */
const findingRoutes =
  (findRoute: FindRoute, answer: Handler): Handler =>
  (request, info) => {
    info.findRoute = findRoute
    return answer(request, info)
  }

/**
 * The request handler: answers preflights, tries the fast route, then the app. No response is sent before the caller's
 * identity is verified.
 */
export function createHandler(deps: Deps, plugins: LoadedPlugins = noPlugins): Handler {
  const app = createApp(deps, plugins)
  const answer = readQuickly(deps)(introducing(identityVerification(deps)(app.fetch)))
  const findRoute = routeFinder(() => app.routes)
  return crossOrigin(deps.config, endpointOrigins(wholePlugins(plugins), findRoute))(findingRoutes(findRoute, answer))
}
