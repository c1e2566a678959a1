import { Failure, malformedJson, payloadTooLarge } from '../errors'
import { readerOf, wholeBody } from './request-body'

/** SEC-68. Deeper values have no use in a record and cost stack in every program behind us. */
const deepest = 64

const texts = new WeakMap<Request, string>()
/** A body comes once, and a request that starts over asks for it again: also for what was wrong with it. */
const readings = new WeakMap<Request, Promise<string>>()

/** The text of the body as it was sent. Numbers in it keep their digits, which JavaScript's would lose. */
export const bodyText = (request: Request): string => texts.get(request) ?? ''

/**
 * Reads a JSON body within the limits. It is a `parse` hook of Elysia and stands behind the hook that asks who is calling.
 * @throws Failure unsupported_media_type, payload_too_large, malformed_json
 */
export const readJson = (limitBytes: number) => async (context: { request: Request }, contentType: string | undefined) => {
  const { request } = context
  if (!readings.has(request) && !request.body) return undefined
  if (!isJson(contentType ?? '')) {
    throw new Failure('unsupported_media_type', 'The body must be JSON.', { hint: 'Send the header Content-Type: application/json.' })
  }
  return parseJson(await readText(request, limitBytes))
}

/** @throws Failure malformed_json, also for what is nested too deep */
export function parseJson(text: string): unknown {
  const value = parse(text)
  if (isDeeper(value, deepest)) throw malformedJson(`The body is nested more than ${deepest} levels deep.`)
  return value
}

/** The body as it was sent, whatever its type; also when it is asked for again. @throws Failure payload_too_large, malformed_json when it is not UTF-8 */
export function readText(request: Request, limitBytes: number): Promise<string> {
  const reading = readings.get(request) ?? readOnce(request, limitBytes)
  readings.set(request, reading)
  return reading
}

async function readOnce(request: Request, limitBytes: number): Promise<string> {
  const text = request.body ? decode(await readBytes(request, limitBytes)) : ''
  texts.set(request, text)
  return text
}

export const isJson = (type: string) => /^application\/([\w.+-]+\+)?json$/i.test(type.trim())

/** Counts while reading: a chunked body has no length to check beforehand. @throws Failure payload_too_large */
export async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  if (length > limitBytes) throw payloadTooLarge(limitBytes)
  if (length >= 0) return wholeBody(request)
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = readerOf(request)
  try {
    for (let chunk = await reader?.next(); chunk; chunk = await reader?.next()) {
      size += chunk.byteLength
      if (size > limitBytes) throw payloadTooLarge(limitBytes)
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
    throw malformedJson('The body is not UTF-8 text.')
  }
}

function parse(text: string): unknown {
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
