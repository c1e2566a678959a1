import { type DocumentDecoration, Elysia } from 'elysia'
import { authHooks } from '../auth/hooks'
import { authorize } from '../auth/identity/authorize'
import type { Deps } from '../deps'
import { Failure, notFound } from '../errors'
import { isNavigation } from '../http/request/navigation'
import { translatable } from '../messages/message'
import { answerAsset } from './assets'
import { createCallerDescriptions } from './openapi/caller-descriptions'
import { answerPage } from './page'

/** SEC-65, for the page of the API description, which needs less than the UI. */
const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default dompurify',
].join('; ')

/** SEC-48: by default only signed-in callers may see the page. */
const docsCaching = { 'cache-control': 'private, no-store', vary: 'Accept, Accept-Encoding, Authorization, Cookie' }

const hidden = { hide: true }

const describeDescription: DocumentDecoration = {
  tags: ['description'],
  summary: 'Get this description (OpenAPI 3.1)',
  description: 'With the tables, columns and operations that the caller may use, each under the tag `tables/` and its name.',
  responses: { 200: { description: 'The description.', content: { 'application/json': { schema: { type: 'object' } } } } },
}

/**
 * The pages, their assets, and the description of the API.
 * @param describe creates the description of all routes; called once, when first needed
 */
export const webRoutes = (deps: Deps, describe: () => Promise<object>) => {
  const describeFor = createCallerDescriptions(deps.catalog, describe)
  const docsNeed = deps.config.publicDocs ? ({ open: true } as const) : ({ signedIn: 'self' } as const)

  return new Elysia({ name: 'web/serve' })
    .use(authHooks(deps))
    .get('/', ({ request }) => answerPage(request), { open: true, detail: hidden })
    .get('/setup', ({ request }) => answerPage(request), { open: true, detail: hidden })
    .get('/invite', ({ request }) => answerPage(request), { open: true, detail: hidden })
    .get('/sign-in', ({ request }) => answerPage(request), { open: true, detail: hidden })
    .get('/tables/*', deepPage, { open: true, detail: hidden })
    .get('/settings', deepPage, { open: true, detail: hidden })
    .get('/settings/*', deepPage, { open: true, detail: hidden })
    .get('/documents', deepPage, { open: true, detail: hidden })
    .get('/documents/*', deepPage, { open: true, detail: hidden })
    .get('/assets/:name', ({ params, request }) => answerStatic(params.name, request), { open: true, detail: hidden })
    .get(
      '/swagger',
      async ({ auth, request }) => {
        if (!deps.config.publicDocs) {
          // A browser is redirected to the sign-in; `next` is a constant, so it cannot contain a token from this URL.
          if (isNavigation(request) && !(await auth.optional())) return seeOther('/sign-in?next=/swagger')
          await authorize(deps, request, { area: 'self' })
        }
        return found(await answerAsset('swagger.html', request, { 'content-security-policy': docsPolicy, ...docsCaching }))
      },
      { open: true, detail: hidden },
    )
    .get(
      '/swagger/json',
      async ({ auth }) => {
        // If everyone may read it, a credential only adds to it, and an invalid one is ignored.
        const actor = deps.config.publicDocs ? await auth.optional().catch(nullIfInvalid) : await auth.require()
        return new Response(await describeFor(actor), { headers: { 'content-type': 'application/json;charset=utf-8' } })
      },
      // A new object for each app: Elysia adds the requirements of the route to it.
      { ...docsNeed, detail: { ...describeDescription } },
    )
}

/** The UI routes below these paths. A script that omits `/api/v1` gets an error instead of a page. */
function deepPage({ request }: { request: Request }): Promise<Response> {
  if (!isNavigation(request)) throw notFound(translatable('No API route matches this URL. The API is under /api/v1.'))
  return answerPage(request)
}

/** The name contains a hash of the content, so the content never changes. */
const answerStatic = async (name: string, request: Request) =>
  found(await answerAsset(`assets/${name}`, request, { 'cache-control': 'public, max-age=31536000, immutable' }))

/** Any other error, such as `unavailable`, must not hide the tables from a signed-in caller. */
function nullIfInvalid(error: unknown): null {
  if (error instanceof Failure && ['invalid_token', 'invalid_request', 'unauthenticated'].includes(error.kind)) return null
  throw error
}

function found(response: Response | null): Response {
  if (response) return response
  throw notFound(translatable('No route matches this URL.'))
}

const seeOther = (location: string) => new Response(null, { status: 303, headers: { location } })
