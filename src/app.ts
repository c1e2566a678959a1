import { type AnyElysia, Elysia } from 'elysia'
import { attachmentRoutes } from './attachments/routes'
import { storeFile } from './attachments/whole-file'
import { authRoutes } from './auth/accounts/routes'
import { auditRoutes } from './auth/audit/routes'
import { identityVerification } from './auth/identity/authorize'
import { refusalRoutes } from './auth/refusals/routes'
import { backupRoutes } from './backup/routes'
import { exportRoutes } from './csv/export/routes'
import { importRoutes } from './csv/import/routes'
import type { Deps } from './deps'
import { callDepsOf } from './documents/nested-documents'
import { documentRoutes } from './documents/routes'
import type { RouteTable } from './http/allowed-methods'
import { failures } from './http/errors'
import { healthRoutes } from './http/health'
import { rememberInfo } from './http/request-info'
import { type FindRoute, routeFinder } from './http/route-finder'
import type { Handler } from './http/serve'
import { onceServing } from './http/serving'
import { makeRoutable } from './http/url'
import { brokenCount, type LoadedPlugins, noPlugins, wholePlugins } from './plugins/load/loaded'
import { mountPlugin } from './plugins/mount'
import { pluginRoutes } from './plugins/routes'
import { readQuickly } from './records/fast-route'
import { batchRoutes } from './records/native/batch-routes'
import { recordRoutes } from './records/native/routes'
import { restErrors } from './records/postgrest/errors/dialect'
import { restRoutes } from './records/postgrest/routes'
import { sampleRoutes } from './sample/routes'
import { systemRoutes } from './system/routes'
import { tableIds } from './tables/catalog/table-ids'
import { columnRoutes } from './tables/column-routes'
import { schemaReportRoutes } from './tables/report/routes'
import { tableRoutes } from './tables/routes'
import { viewRoutes } from './tables/view-routes'
import { inviteRoutes } from './users/invite-routes'
import { userRoutes } from './users/routes'
import { answerPage } from './web/page'
import { webRoutes } from './web/serve'

/** Of failures, by path: `/rest/v1` answers as PostgREST does. */
export const dialects = [restErrors]

/** Reads top to bottom as a request does. `failures` comes first: a hook covers only what is mounted after it. */
export function createApp(deps: Deps, plugins: LoadedPlugins = noPlugins) {
  let routes: RouteTable = []
  const host = callDepsOf(deps, plugins)
  const app = ownRoutes(deps, plugins, host, () => routes)
    .use(wholePlugins(plugins).map((plugin) => mountPlugin(host, plugin)))
    .use(webRoutes(deps, (): Promise<object> => describeRoutes(app)))
  routes = app.routes
  return app
}

/** What makes the description is large, and few ask for it. */
const describeRoutes = async (app: AnyElysia): Promise<object> => (await import('./web/openapi/description')).describeApi(app)

/** What the browser's part knows of the service: the types of these routes, and nothing at run time. */
export type Api = ReturnType<typeof ownRoutes>

/** In a function of its own, since TypeScript forgets the routes of a chain that mounts a list. */
function ownRoutes(deps: Deps, plugins: LoadedPlugins, host: ReturnType<typeof callDepsOf>, routes: () => RouteTable) {
  const tablesByReference: Parameters<typeof authRoutes>[2] = (...asked) => tableIds(deps.catalog, ...asked)
  return new Elysia({ normalize: false })
    .use(failures(deps.events, routes, dialects, (request) => answerPage(request, 404)))
    .use(onceServing(deps))
    .use(healthRoutes(deps, '', brokenCount(plugins)))
    .use(healthRoutes(deps, '/api/v1', brokenCount(plugins)))
    .use(authRoutes(deps, '', tablesByReference))
    .use(authRoutes(deps, '/api/v1', tablesByReference))
    .use(refusalRoutes(deps, ''))
    .use(refusalRoutes(deps, '/api/v1'))
    .use(inviteRoutes(deps, ''))
    .use(inviteRoutes(deps, '/api/v1'))
    .use(auditRoutes(deps))
    .use(userRoutes(deps))
    .use(systemRoutes(deps))
    .use(backupRoutes(deps))
    .use(tableRoutes(deps))
    .use(columnRoutes(deps))
    .use(viewRoutes(deps))
    .use(schemaReportRoutes(deps))
    .use(recordRoutes(deps))
    .use(attachmentRoutes(deps))
    .use(exportRoutes(deps))
    .use(importRoutes(deps))
    .use(sampleRoutes(deps, storeFile(deps)))
    .use(batchRoutes(deps))
    .use(restRoutes(deps))
    .use(pluginRoutes(deps, plugins))
    .use(documentRoutes(host, plugins))
}

/**
 * What routes are to know of a request. A sender that has gone has no address any more, and guesses at passwords are
 * counted by it, behind the body: so it is asked for now.
 */
const introducing =
  (answer: (request: Request) => Response | Promise<Response>): Handler =>
  (request, info) => {
    info.address
    makeRoutable(request)
    rememberInfo(request, info)
    return info.scope.run(() => answer(request))
  }

/** For metrics and the access log, on the short way, too. */
const findingRoutes =
  (findRoute: FindRoute, answer: Handler): Handler =>
  (request, info) => {
    info.findRoute = findRoute
    return answer(request, info)
  }

/**
 * What the server calls: the short way of plain reads, behind it the app, and around that what lets no answer leave for
 * a caller who is not verified.
 */
export function createHandler(deps: Deps, plugins: LoadedPlugins = noPlugins): Handler {
  const app = createApp(deps, plugins)
  const answer = readQuickly(deps)(introducing(identityVerification(deps)(app.fetch)))
  return findingRoutes(
    routeFinder(() => app.routes),
    answer,
  )
}
