import { STATUS_CODES } from 'node:http'
import type { Requirement } from '../../auth/identity/authorize'
import type { FailureKind } from '../../errors'
import { statusOf } from '../../http/response/errors'

/** The facts about an operation that determine its failures. */
export type OperationShape = {
  path: string
  method: string
  needs: Requirement | 'open' | undefined
  hasBody: boolean
  hasKey: boolean
  isConditional: boolean
}

/** Failures that do not follow from the shape of a route. */
const special: Record<string, number[]> = {
  'post /auth/login': [401, 429],
  'post /auth/setup': [403, 409, 429],
  'post /auth/password': [403, 429],
  'post /auth/invite': [404],
  'post /auth/invite/check': [404],
  'post /auth/tokens': [409],
  'post /users': [409],
  'patch /users/{id}': [409],
  'delete /users/{id}': [409],
  'post /users/{id}/reset': [409],
  'post /tables': [409],
  'post /tables/import': [409],
  'post /tables/{tableId}/import': [404, 409],
  'post /sample-data': [409],
  'post /tables/{tableId}/records': [409],
  'patch /tables/{tableId}/records/{pk}': [409],
  'delete /tables/{tableId}/records/{pk}': [409],
}

/** The error responses of an operation, by status. All other errors have the same body. */
export function failuresOf({ path, method, needs, hasBody, hasKey, isConditional }: OperationShape): Record<string, { $ref: string }> {
  if (path.startsWith('/rest/v1')) return { default: { $ref: '#/components/responses/RestError' } }
  const isSignedIn = needs !== undefined && needs !== 'open'
  const statuses = [
    ...(isSignedIn ? [400, 401, 403] : []),
    ...(hasKey ? [404] : []),
    ...(isConditional ? [412] : []),
    ...(hasBody ? [400, 403, 413, 415, 422] : []),
    ...(needs === undefined ? [] : [503]),
    ...(special[`${method} ${path.replace(/^\/api\/v1/, '')}`] ?? []),
  ]
  const references = Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${errorName(status)}` }]))
  return { ...references, default: { $ref: '#/components/responses/Problem' } }
}

const errorName = (status: number) => (STATUS_CODES[status] ?? 'Problem').replace(/[^A-Za-z]/g, '')

const challenge = {
  'WWW-Authenticate': {
    schema: { type: 'string' },
    description: 'Bearer realm="service", with the error of RFC 6750 where a token was sent.',
  },
}
const retryAfter = { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait.' } }
const documentedHeaders: Record<number, object> = { 401: challenge, 429: retryAfter, 503: retryAfter }

const body = { content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } }

/** One response for each error status, with the codes that it can contain. */
export function failureResponses(): Record<string, object> {
  const kinds = Object.entries(statusOf) as [FailureKind, number][]
  const describe = (status: number) => {
    const codes = kinds.filter(([, each]) => each === status).map(([kind]) => `\`${kind}\``)
    return { description: `${STATUS_CODES[status]}. \`code\`: ${codes.join(', ')}.`, headers: documentedHeaders[status], ...body }
  }
  const statuses = [...new Set(Object.values(statusOf))]
  return {
    Problem: { description: 'The request failed.', ...body },
    RestError: {
      description: 'The request failed, in PostgREST’s words.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/RestError' } } },
    },
    ...Object.fromEntries(statuses.map((status) => [errorName(status), describe(status)])),
  }
}

const textSchema = { type: 'string' }

export const restErrorSchema = {
  type: 'object',
  description: 'Below `/rest/v1` only.',
  required: ['code', 'details', 'hint', 'message'],
  properties: {
    code: { type: 'string', description: 'PostgREST’s or PostgreSQL’s.' },
    details: {},
    hint: { type: ['string', 'null'] },
    message: textSchema,
  },
}

export const problemSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457). They repeat no submitted values, except cells of a CSV file, up to 80 characters.',
  required: ['type', 'title', 'status', 'code', 'message', 'requestId'],
  properties: {
    type: textSchema,
    title: textSchema,
    status: { type: 'integer' },
    code: { type: 'string', enum: Object.keys(statusOf), description: 'Stable, for programs to compare.' },
    message: { type: 'string', description: 'For people. It may change.' },
    details: { type: 'object', additionalProperties: true, description: 'With 412: `current`, the record as it is now.' },
    hint: textSchema,
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['message'],
        properties: {
          path: { type: 'string', description: 'A JSON Pointer into the body, or the name of a parameter.' },
          message: textSchema,
          line: { type: 'integer', description: 'For a CSV file, instead of `path`: the line where the record begins, from 1.' },
          column: { type: ['string', 'null'], description: 'With `line`: the column.' },
          position: { type: 'integer', description: 'In a formula: the character at which the problem is, from 1.' },
        },
      },
    },
    requestId: textSchema,
  },
}
