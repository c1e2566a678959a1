import { tokenParameter } from '../auth/identity/credential'
import { Failure, notFound, validationFailed } from '../errors'
import { type BodyLimit, decode, isJsonType, parseJson, readBytes } from '../http/request/body'
import { searchOf } from '../http/request/url'
import { translatable } from '../messages/message'
import type { PluginEndpoint } from './load/declaration'
import type { Checker, Source } from './load/schemas'

export type Params = Record<string, string | null>

/** The parts of a request, converted by the endpoint's schemas. */
export type Read = { params: unknown; query: unknown; body: unknown }

/** Reads the body once, even if it is called several times. */
export type PluginBody = () => Promise<Uint8Array>

export function pluginBodyOf(request: Request, limit: BodyLimit): PluginBody {
  let read: Promise<Uint8Array> | null = null
  return () => {
    read ??= request.body ? readBytes(request, limit) : Promise.resolve(new Uint8Array())
    return read
  }
}

/** @throws Failure not_found, validation_failed, unsupported_media_type, payload_too_large, malformed_json */
export async function readRequest(endpoint: PluginEndpoint, request: Request, params: Params, body: PluginBody): Promise<Read> {
  if (Object.values(params).includes(null)) throw notFound(translatable('No route matches this URL.'))
  return {
    params: checked(endpoint.params, params, 'address'),
    query: checked(endpoint.query, callQuery(request, endpoint), 'address'),
    body: endpoint.body && checked(endpoint.body, await readBody(request, body), 'json'),
  }
}

function checked(checker: Checker | undefined, value: unknown, source: Source): unknown {
  if (!checker) return value
  const result = checker.read(value, source)
  if ('problems' in result) throw validationFailed(result.problems)
  return result.value
}

/**
 * The query without Rowhouse's token (docs/authentication.md, R9), unless the endpoint has its own credentials. A name
 * that occurs twice becomes an array.
 */
function callQuery(request: Request, { isOwn, query }: PluginEndpoint): Record<string, string | string[]> {
  const search = searchOf(request.url)
  if (search.length < 2) return {}
  const found = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(search)) {
    if (name === tokenParameter && !isOwn) continue
    const earlier = found.get(name)
    const isList = earlier !== undefined || query?.schema.properties?.[name]?.type === 'array'
    found.set(name, isList ? [earlier ?? [], value].flat() : value)
  }
  return Object.fromEntries(found)
}

async function readBody(request: Request, body: PluginBody): Promise<unknown> {
  if (!request.body) return undefined
  if (!isJsonType((request.headers.get('content-type') ?? '').split(';')[0]!)) {
    throw new Failure('unsupported_media_type', translatable('The body must be JSON.'), {
      hint: translatable('Send the header Content-Type: application/json.'),
    })
  }
  return parseJson(decode(await body()))
}
