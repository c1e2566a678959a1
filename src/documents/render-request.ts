import { Type } from '@sinclair/typebox'
import { tokenParameter } from '../auth/identity/credential'
import { Failure, validationFailed } from '../errors'
import { decode, isJsonType, parseJson } from '../http/request/body'
import { searchOf } from '../http/request/url'
import { translatable } from '../messages/message'
import { createChecker, type Source } from '../plugins/load/schemas'
import type { PluginBody } from '../plugins/request'

export type SaveTo = { table: string; pk: string | number; column: string }

/** A request for a document. `source` says whether the parameters are texts from a URL. */
export type RenderRequest = { format: string | undefined; params: Record<string, unknown>; saveTo: SaveTo | undefined; source: Source }

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
            pk: Type.Union([Type.String({ maxLength: 1000 }), Type.Number()]),
            column: Type.String({ maxLength: 200 }),
          },
          strict,
        ),
      ),
    },
    strict,
  ),
)

/**
 * Parameters of the body, or else those of the URL.
 * @throws Failure unsupported_media_type, malformed_json, payload_too_large, validation_failed
 */
export async function readRenderRequest(request: Request, body: PluginBody): Promise<RenderRequest> {
  const { format, ...params } = documentQuery(request)
  const address: RenderRequest = { format: [format].flat()[0], params, saveTo: undefined, source: 'address' }
  if (request.method !== 'POST' || !request.body) return address
  if (!isJsonType((request.headers.get('content-type') ?? '').split(';')[0]!)) {
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
    saveTo: sent.saveTo,
  }
}

function documentQuery(request: Request): Record<string, string | string[]> {
  const found = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(searchOf(request.url))) {
    if (name === tokenParameter) continue
    const earlier = found.get(name)
    found.set(name, earlier === undefined ? value : [earlier, value].flat())
  }
  return Object.fromEntries(found)
}
