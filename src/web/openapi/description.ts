import { STATUS_CODES } from 'node:http'
import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import type { Requirement } from '../../auth/identity/authorize'
import { version } from '../../ops/version'
import { failureResponses, failuresOf, problemSchema, restErrorSchema } from './errors'
import { type Json, named, namedSchemas, opened, plain } from './schemas'

type Parameter = { name: string; in: string; required: boolean; schema: object; description?: string }
type Content = { [type: string]: Json }
type Response = { $ref?: string; description?: string; content?: Content }
type Operation = {
  operationId: string
  tags?: string[]
  summary?: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses?: Record<string, Response>
  security?: object[]
  'x-needs'?: Requirement | 'open'
}
type Paths = Record<string, Record<string, Operation>>

const introduction = `Send \`Authorization: Bearer <API token>\`, or \`?token=<API token>\` for images and links, or sign in for the cookie \`service_session\`.
The header takes precedence over the query, and the query over the cookie. If that credential is refused, no other one is tried.
On the page \`/swagger\`, calls use the session of your browser.

Errors are \`application/problem+json\` (RFC 9457). Every answer has \`X-Request-Id\`. GET also answers HEAD.
Everything below \`/auth\` and the health checks are available at the root as well as below \`/api/v1\`.`

const tags = [
  { name: 'tables', description: 'Typed tables, which are tables in PostgreSQL.' },
  { name: 'records', description: 'The rows of a table. A record is an object: values by the names of columns.' },
  { name: 'csv', description: 'Imports and exports of CSV and XLSX files.' },
  { name: 'attachments', description: 'Files in the cells of records.' },
  { name: 'forms', description: 'Public forms, which add records and read none.' },
  { name: 'documents', description: 'Documents made from records by templates.' },
  { name: 'links', description: 'Share links: read access for people without an account.' },
  { name: 'custom', description: 'Endpoints of plugins.' },
  { name: 'plugins', description: 'Loaded plugins, and why others are not loaded.' },
  { name: 'rest', description: 'The API of PostgREST, for its clients.' },
  { name: 'auth', description: 'Setup, sign-in, sessions, invitations and API tokens.' },
  { name: 'users', description: 'Users and their roles.' },
  { name: 'access', description: 'Who may read and change which tables, records and columns.' },
  { name: 'groups', description: 'Groups of users, for rules of access.' },
  { name: 'audit', description: 'The audit log.' },
  { name: 'health', description: 'For load balancers and operators.' },
  { name: 'description', description: 'This description.' },
  { name: 'root', description: 'The same as under `/api/v1`.' },
]

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API token from POST /api/v1/auth/tokens.' },
  query: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'The same API token, for images and links. URLs end up in logs: prefer the header.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service_session',
    description: 'Set by POST /api/v1/auth/login, for 7 days. Browsers send it automatically.',
  },
}

/** The descriptions of the path parameters. */
const placeholders: Record<string, string> = {
  tableId: 'The id of the table, or its name.',
  columnId: 'The id of the column, or its name.',
  pk: 'The primary key of the record.',
  table: 'The name of the table in the schema.',
  function: 'The name of the function in the schema.',
  id: 'The id.',
  token: 'The secret of the link: the 43 characters of its address.',
  fileId: 'The id of the file.',
}

/** OpenAPI 3.1 of every route, from the schemas that the routes themselves check. */
export async function describeApi(app: AnyElysia): Promise<object> {
  const generator = swagger({ path: '/generated', exclude: [/^\/generated/], excludeStaticFile: false })
  const documented = new Elysia({ normalize: false }).use(app).use(generator)
  const generated = (await (await documented.handle(new Request('http://localhost/generated/json'))).json()) as { paths: Json }
  return {
    openapi: '3.1.0',
    info: { title: 'Rowhouse', version, summary: 'Tables and records over PostgreSQL.', description: introduction },
    servers: [{ url: '/', description: 'This service.' }],
    tags,
    security: [{ bearer: [] }, { query: [] }, { session: [] }],
    paths: completePaths(named(plain(generated.paths)) as unknown as Paths),
    components: {
      securitySchemes,
      schemas: { ...namedSchemas(), Problem: problemSchema, RestError: restErrorSchema },
      responses: failureResponses(),
    },
  }
}

function completePaths(paths: Paths): Paths {
  const taken = new Set<string>()
  const complete = (path: string, operations: Record<string, Operation>) =>
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, distinct(completeOperation(path, method, operation), taken)]),
    )
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => {
      // Elysia writes the index route of a group with a trailing slash, but it also answers without one.
      const address = path.length > 1 ? path.replace(/\/$/, '') : path
      return [address, complete(address, operations)]
    }),
  )
}

/** Plugin paths can differ only in characters that identifiers cannot have, such as a hyphen. */
function distinct(operation: Operation, taken: Set<string>): Operation {
  let operationId = operation.operationId
  for (let number = 2; taken.has(operationId); number++) operationId = `${operation.operationId}${number}`
  taken.add(operationId)
  return { ...operation, operationId }
}

/** Adds what the generator cannot know: who may call and what fails. Corrects its wrong guesses. */
function completeOperation(path: string, method: string, operation: Operation): Operation {
  const { requestBody, responses, description, 'x-needs': needs } = operation
  const parameters = completeParameters(path, operation.parameters ?? [])
  const has = (location: string, name: string) => parameters.some((parameter) => parameter.in === location && parameter.name === name)
  const shape = { path, method, needs, hasBody: !!requestBody, hasKey: path.includes('{'), isConditional: has('header', 'If-Match') }
  const isAtRoot = !/^\/(api|rest|swagger|s)\b/.test(path)
  return {
    ...operation,
    operationId: operationId(path, method),
    tags: isAtRoot ? ['root'] : operation.tags,
    description: [description, rightsOf(needs)].filter(Boolean).join(' ') || undefined,
    parameters: parameters.length ? parameters : undefined,
    requestBody: requestBody && { ...requestBody, content: jsonOnly(requestBody.content) },
    responses: { ...failuresOf(shape), ...completeResponses(responses ?? {}) },
    security: securityOf(needs, operation.security),
  }
}

function completeParameters(path: string, parameters: Parameter[]): Parameter[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const inPath = names.map((name) => {
    const found = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)
    return { name, in: 'path', required: true, description: placeholders[name], schema: found?.schema ?? { type: 'string' } }
  })
  return [...inPath, ...parameters.filter((parameter) => parameter.in !== 'path')]
}

/** A route without a declared response body responds with 204. */
function completeResponses(responses: Record<string, Response>): Record<string, Response> {
  const isSilent = Object.values(responses).every((response) => Object.keys(response).length === 0)
  if (isSilent) return { 204: { description: 'Done. The response has no body.' } }
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      {
        ...response,
        description: response.description ?? `${STATUS_CODES[status]}.`,
        content: response.content && (opened(jsonOnly(response.content)) as Content),
      },
    ]),
  )
}

/** The generator offers all of these for a schema that a route checks, but such bodies are JSON. */
const offeredTypes = ['application/json', 'multipart/form-data', 'text/plain']
const jsonOnly = (content: Content): Content =>
  offeredTypes.every((type) => type in content) ? { 'application/json': content['application/json']! } : content

/** @param declared the security of the route itself, which may accept a credential although it is open */
function securityOf(needs: Requirement | 'open' | undefined, declared: object[] | undefined): object[] | undefined {
  if (needs === 'open') return declared ?? []
  return needs?.cookieOnly ? [{ session: [] }] : declared
}

function rightsOf(needs: Requirement | 'open' | undefined): string | undefined {
  if (needs === undefined || needs === 'open') return undefined
  const role = needs.role === 'admin' ? 'For administrators.' : needs.role === 'editor' ? 'For editors and administrators.' : ''
  const scope = needs.area === 'account' ? 'A token needs the scope `full` and no restriction to tables.' : ''
  return [role, scope].filter(Boolean).join(' ')
}

/**
 * `GET /api/v1/tables/{tableId}/records` → `getTablesByTableIdRecords`: stable, unique, and a name in every language.
 */
function operationId(path: string, method: string): string {
  const isAtRoot = !/^\/(api|rest|swagger|s)\b/.test(path)
  const words =
    path
      .replace(/^\/api\/v1/, '')
      .replace(/^\/rest\/v1/, '/rest')
      .match(/[A-Za-z]+|\{\w+\}/g) ?? []
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  const parts = words.map((word) => (word.startsWith('{') ? `By${capital(word.slice(1, -1))}` : capital(word)))
  return `${method}${parts.join('')}${isAtRoot ? 'AtRoot' : ''}`
}
