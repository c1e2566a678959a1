import { type TSchema, Type } from '@sinclair/typebox'
import { tokenParameter } from '../auth/identity/credential'
import { Failure, validationFailed } from '../errors'
import { decode, isJsonType, parseJson } from '../http/request/body'
import { languageAmong } from '../http/request/language'
import { searchOf } from '../http/request/url'
import { type MessageLanguage, translatable } from '../messages/message'
import { createChecker, type Source } from '../plugins/load/schemas'
import type { PluginBody } from '../plugins/request'

export type SaveTo = { table: string; pk: string | number; column: string; name?: string }

/** A request for a document. `source` says whether the parameters are texts from a URL. */
export type RenderRequest = {
  format: string | undefined
  /** Replaces that of the header, which a frame or a link in a page cannot choose. */
  language: MessageLanguage | undefined
  params: Record<string, unknown>
  saveTo: SaveTo | undefined
  source: Source
}

const strict = { additionalProperties: false }
const shape = createChecker(
  Type.Object(
    {
      format: Type.Optional(Type.String({ maxLength: 20 })),
      params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      saveTo: Type.Optional(
        Type.Object(
          {
            table: Type.String({ maxLength: 200 }),
            pk: Type.Union([Type.String({ maxLength: 10_000 }), Type.Number()]),
            column: Type.String({ maxLength: 200 }),
            name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
          },
          strict,
        ),
      ),
    },
    strict,
  ),
)

export const renderRequestSchema: object = shape.schema

/**
 * The parameters of the body, which is JSON or a form, or else those of the URL.
 * @param declared the schema of the template's own parameters
 * @throws Failure unsupported_media_type, malformed_json, payload_too_large, validation_failed
 */
export async function readRenderRequest(request: Request, body: PluginBody, declared: TSchema | undefined): Promise<RenderRequest> {
  const isOwnLanguage = declared !== undefined && declaresLanguage(declared)
  const address = readParameters(searchOf(request.url), isOwnLanguage)
  if (request.method !== 'POST' || !request.body) return address
  const type = (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  // A form on another site can do no more than a link: it cannot save anything.
  if (type === 'application/x-www-form-urlencoded') {
    const sent = readParameters(decode(await body()), isOwnLanguage)
    return { ...sent, format: sent.format ?? address.format, language: sent.language ?? address.language }
  }
  if (!isJsonType(type)) {
    throw new Failure('unsupported_media_type', translatable('The body must be JSON.'), {
      hint: translatable('Send the header Content-Type: application/json.'),
    })
  }
  const read = shape.read(parseJson(decode(await body())), 'json')
  if ('problems' in read) throw validationFailed(read.problems)
  const sent = read.value as { format?: string; params?: Record<string, unknown>; saveTo?: SaveTo }
  return {
    ...(sent.params ? { params: sent.params, source: 'json' } : address),
    format: sent.format ?? address.format,
    language: address.language,
    saveTo: sent.saveTo,
  }
}

/** A template that was written before the parameter `language` existed may have its own. */
const declaresLanguage = ({ properties = {}, allOf = [], anyOf = [] }: TSchema): boolean =>
  Object.hasOwn(properties, 'language') || [...allOf, ...anyOf].some(declaresLanguage)

function readParameters(query: string, isOwnLanguage: boolean): RenderRequest {
  const found = Map.groupBy(new URLSearchParams(query), ([name]) => name)
  found.delete(tokenParameter)
  const take = (name: string): string | undefined => {
    const first = found.get(name)?.[0]?.[1]
    found.delete(name)
    return first
  }
  const format = take('format')
  const accepted = isOwnLanguage ? undefined : take('language')
  const language = accepted ? languageAmong(accepted) : undefined
  const params = Object.fromEntries(
    [...found].map(([name, pairs]) => [name, pairs.length > 1 ? pairs.map(([, value]) => value) : pairs[0]![1]]),
  )
  return { format, language, params, saveTo: undefined, source: 'address' }
}
