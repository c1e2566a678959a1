import { Failure, malformedJson, payloadTooLarge } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import type { Config } from '../../ops/settings/config'
import { bodyReaderOf, wholeBody } from './body-stream'

/**
 * Bodies that are read as a whole, within a limit. Uploads are read in chunks and count their bytes themselves:
 * `csv/import/upload.ts`, `attachments/incoming-files.ts` and `attachments/intake.ts`.
 */

/** SEC-68. Deeper values are useless in a record and cost stack in every program that reads them. */
const maxDepth = 64

/** `hint` says which route accepts larger bodies and which setting to raise. */
export type BodyLimit = { bytes: number; hint?: Message }

/** For JSON that holds no records: sign-in, definitions, settings. */
const plainJsonBytes = 2 ** 20

type Limits = Pick<Config, 'maxBodyBytes' | 'maxUploadBytes'>

export const plainJsonLimit = ({ maxBodyBytes }: Limits): BodyLimit => ({ bytes: Math.min(plainJsonBytes, maxBodyBytes) })

export const recordsLimit = ({ maxBodyBytes, maxUploadBytes }: Limits): BodyLimit => ({
  bytes: maxBodyBytes,
  hint: translatable(
    'ROWHOUSE_MAX_BODY_BYTES sets this limit. A CSV import accepts up to {maxUploadBytes} bytes (ROWHOUSE_MAX_UPLOAD_BYTES).',
    { maxUploadBytes },
  ),
})

/** @param ownBytes the limit that the endpoint declares */
export const pluginLimit = ({ maxBodyBytes, maxUploadBytes }: Limits, ownBytes?: number): BodyLimit =>
  ownBytes === undefined
    ? {
        bytes: maxBodyBytes,
        hint: translatable('ROWHOUSE_MAX_BODY_BYTES sets this limit, unless the endpoint sets its own ("maxBodyBytes").'),
      }
    : {
        bytes: Math.min(ownBytes, maxUploadBytes),
        hint: translatable('The endpoint sets this limit ("maxBodyBytes"), up to ROWHOUSE_MAX_UPLOAD_BYTES.'),
      }

const texts = new WeakMap<Request, string>()
/** A body arrives only once, and a request that is restarted needs it again, or the error from reading it. */
const readings = new WeakMap<Request, Promise<string>>()

/** The text of the body as it was sent. Its numbers keep all digits, which JavaScript numbers would lose. */
export const bodyText = (request: Request): string => texts.get(request) ?? ''

/**
 * Reads a JSON body within the limits. A `parse` hook of Elysia that runs after the authentication hook.
 * @throws Failure unsupported_media_type, payload_too_large, malformed_json
 */
export const jsonBodyParser = (limit: BodyLimit) => async (context: { request: Request }, contentType: string | undefined) => {
  const { request } = context
  if (!readings.has(request) && !request.body) return undefined
  if (!isJsonType(contentType ?? '')) {
    throw new Failure('unsupported_media_type', translatable('The body must be JSON.'), {
      hint: translatable('Send the header Content-Type: application/json.'),
    })
  }
  return parseJson(await readText(request, limit))
}

/** @throws Failure malformed_json, also for values that are nested too deeply */
export function parseJson(text: string): unknown {
  const value = parseText(text)
  if (isDeeper(value, maxDepth)) throw malformedJson(translatable('The body is nested more than {maxDepth} levels deep.', { maxDepth }))
  return value
}

/**
 * The body as it was sent, whatever its type; can be called again.
 * @throws Failure payload_too_large, malformed_json if it is not UTF-8
 */
export function readText(request: Request, limit: BodyLimit): Promise<string> {
  const reading = readings.get(request) ?? readOnce(request, limit)
  readings.set(request, reading)
  return reading
}

async function readOnce(request: Request, limit: BodyLimit): Promise<string> {
  const text = request.body ? decode(await readBytes(request, limit)) : ''
  texts.set(request, text)
  return text
}

export const isJsonType = (type: string) => /^application\/([\w.+-]+\+)?json$/i.test(type.trim())

/** If the body took longer than this, the caller is authorized again. */
const slowBodyMs = 1000

const slowBodyChecks = new WeakMap<Request, () => Promise<unknown>>()

/** @param check runs once a slow body has arrived; its errors are thrown to the reader of the body */
export const afterSlowBody = (request: Request, check: () => Promise<unknown>): void => void slowBodyChecks.set(request, check)

/** The whole body, within the limit. @throws Failure payload_too_large, or like `afterSlowBody` */
export async function readBytes(request: Request, limit: BodyLimit): Promise<Uint8Array> {
  const startedAt = performance.now()
  const bytes = await readAll(request, limit)
  if (performance.now() - startedAt > slowBodyMs) await slowBodyChecks.get(request)?.()
  return bytes
}

/** Counts while reading: a chunked body has no length to check in advance. @throws Failure payload_too_large */
async function readAll(request: Request, { bytes: limitBytes, hint }: BodyLimit): Promise<Uint8Array> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  if (length > limitBytes) throw payloadTooLarge(limitBytes, hint)
  if (length >= 0) return wholeBody(request)
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = bodyReaderOf(request)
  try {
    for (let chunk = await reader?.next(); chunk; chunk = await reader?.next()) {
      size += chunk.byteLength
      if (size > limitBytes) throw payloadTooLarge(limitBytes, hint)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } finally {
    reader?.leave()
  }
}

/** @throws Failure malformed_json */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw malformedJson(translatable('The body is not UTF-8 text.'))
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformedJson()
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((item) => isDeeper(item, levels - 1))
}
