import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import { statusOf } from '../http/errors'
import { version } from '../ops/version'

type Operation = {
  responses?: Record<string, unknown>
  security?: unknown[]
  operationId?: string
  parameters?: unknown[]
  description?: string
}
type Description = {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: Record<string, unknown>
  security?: unknown[]
}

const introduction = `Send \`Authorization: Bearer <API token>\`, or \`?token=<API token>\` for images and links, or sign in for the cookie \`service_session\`.
The header wins over the query, the query over the cookie, and the one that is chosen decides: there is no fall-through.
Errors are \`application/problem+json\` (RFC 9457).`

/** OpenAPI 3.1 of every route, from the schemas that the routes themselves check. */
export async function describeApi(app: AnyElysia): Promise<object> {
  const documented = new Elysia({ normalize: false }).use(app).use(
    swagger({
      path: '/swagger',
      exclude: [/^\/swagger/],
      documentation: { info: { title: 'Rowhouse', version, description: introduction } },
    }),
  )
  const description = (await (await documented.handle(new Request('http://localhost/swagger/json'))).json()) as Description
  return complete(description)
}

/** What the generator cannot know: the three credentials, the errors, and OpenAPI 3.1, whose schemas are JSON Schema itself. */
function complete(description: Description): Description {
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const operation of Object.values(operations)) completeOperation(path, operation)
  }
  return {
    ...description,
    openapi: '3.1.0',
    security: [{ bearer: [] }, { query: [] }, { session: [] }],
    components: {
      ...description.components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API token from POST /api/v1/auth/tokens.' },
        query: {
          type: 'apiKey',
          in: 'query',
          name: 'token',
          description: 'The same API token, for images and links. URLs end up in logs: prefer the header.',
        },
        session: { type: 'apiKey', in: 'cookie', name: 'service_session', description: 'Set by POST /api/v1/auth/login; 7 days.' },
      },
      responses: { Problem: { description: 'The request failed.', content: { 'application/problem+json': { schema: problemSchema } } } },
    },
  }
}

function completeOperation(path: string, operation: Operation) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const known = (operation.parameters ?? []) as { name: string; in: string }[]
  const missing = names.filter((name) => !known.some((parameter) => parameter.in === 'path' && parameter.name === name))
  operation.parameters = [...known, ...missing.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))]
  operation.responses = {
    ...(Object.keys(operation.responses ?? {}).length ? operation.responses : { default: { $ref: problemReference } }),
    '4XX': { $ref: problemReference },
    '5XX': { $ref: problemReference },
  }
}

const problemReference = '#/components/responses/Problem'

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'message', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: Object.keys(statusOf) },
    message: { type: 'string' },
    details: { type: 'object' },
    hint: { type: 'string' },
    errors: { type: 'array', items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } } },
    requestId: { type: 'string' },
  },
}
