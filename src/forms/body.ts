import { bytesOf } from '../attachments/incoming-files'
import type { Deps } from '../deps'
import { Failure, payloadTooLarge, validationFailed } from '../errors'
import { isJsonType, parseJson, plainJsonLimit, readText } from '../http/request/body'
import { type FilePart, multipartFiles } from '../http/request/multipart'
import { infoOf } from '../http/request/request-info'
import { type MessageLanguage, translatable } from '../messages/message'
import { choicesOf } from '../tables/column-types/choices'
import type { ResolvedField } from './fields'
import type { SubmittedFiles } from './files'
import { maxOffered } from './model'
import { valueOfTexts } from './values'

/** A submission: `values` by the names of columns. `trap` is the field that people do not see. */
export type SentForm = { values: Record<string, unknown>; proof: string; trap: string }

/** The prefix of a page's inputs for columns, so that none is mistaken for another input. */
export const inputPrefix = 'f.'
export const proofInput = 'proof'
export const trapInput = 'website'
/** The language of a page, whose decimal mark its numbers use. Without it, numbers have a point. */
export const languageInput = 'language'

/** @throws Failure validation_failed, malformed_json, payload_too_large, unsupported_media_type */
export async function readJsonForm(request: Request, { config }: Pick<Deps, 'config'>): Promise<SentForm> {
  if (!isJsonType(request.headers.get('content-type') ?? ''))
    throw new Failure('unsupported_media_type', translatable('The body must be JSON.'))
  const body = parseJson(await readText(request, plainJsonLimit(config)))
  const { values, proof, [trapInput]: trap = '', ...others } = isObject(body) ? body : {}
  if (!isObject(values))
    throw validationFailed([{ path: '/values', message: translatable('must be an object whose keys are field names') }])
  if (Object.keys(others).length > 0)
    throw validationFailed(
      Object.keys(others)
        .map((name) => ({ path: `/${name}`, message: translatable('is not known here') }))
        .slice(0, 20),
    )
  return { values, proof: typeof proof === 'string' ? proof : '', trap: typeof trap === 'string' ? trap : JSON.stringify(trap) }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

export const isMultipart = (request: Request): boolean => /^multipart\/form-data\b/i.test(request.headers.get('content-type') ?? '')

/** How many inputs a page of the form sends: its own three, and one for each field or each of its boxes. */
const maxInputs = (fields: readonly ResolvedField[]): number =>
  fields.reduce((sum, { column: { options } }) => sum + 1 + Math.max(choicesOf(options).length, maxOffered), 3)

/** The form of a page, without files. @throws Failure payload_too_large, unsupported_media_type, malformed_json */
export async function readUrlencodedForm(
  request: Request,
  { config }: Pick<Deps, 'config'>,
  fields: readonly ResolvedField[],
): Promise<SentForm> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? ''))
    throw new Failure('unsupported_media_type', translatable('The body must be a form.'))
  const inputs = createInputs()
  let left = maxInputs(fields)
  for (const [name, value] of new URLSearchParams(await readText(request, plainJsonLimit(config)))) {
    if (left-- === 0) throw new Failure('payload_too_large', translatable('The form has too many inputs.'))
    inputs.add(name, value)
  }
  return inputs.toForm(fields)
}

/**
 * The form of a page with files, which are stored as they arrive. After a refusal, the rest is read but not stored,
 * because the page shows all texts again, including those after the file.
 * @param admit checks the proof before the first byte of a file is stored
 * @returns the form, and the refusal of its proof or of a file
 * @throws Failure; the errors of `admit`
 */
export async function readMultipartForm(
  request: Request,
  { config }: Pick<Deps, 'config'>,
  fields: readonly ResolvedField[],
  files: SubmittedFiles,
  admit: (sent: SentForm) => Promise<void>,
): Promise<{ form: SentForm; refused: Failure | null }> {
  const inputs = createInputs()
  const limits = fields.flatMap(({ files: own }) => (own ? [own] : []))
  const maxFiles = limits.reduce((sum, { most }) => sum + most, 0)
  const textBytes = plainJsonLimit(config).bytes
  const bodyBytes = textBytes + limits.reduce((sum, { most, maxBytes }) => sum + most * maxBytes, 0)
  infoOf(request).takeTime(config.transferTimeoutMs)
  const body = limited(bytesOf(request, config.transferIdleMs), bodyBytes)
  // One more for each field: a field without a chosen file sends an empty part.
  const maxParts = maxFiles + limits.length
  let isAdmitted = false
  const admitOnce = async () => {
    if (!isAdmitted) await admit(inputs.toForm(fields))
    isAdmitted = true
  }
  const refusalOf = async (part: FilePart | null): Promise<Failure | null> => {
    try {
      await admitOnce()
      if (part) await files.add(part, inputColumn(part.field) ?? '')
      return null
    } catch (error) {
      if (error instanceof Failure && error.extras.errors) return error
      throw error
    }
  }
  let refused: Failure | null = null
  // A page that sends more files has chosen too many for one of its fields, and `files` refuses them there.
  const most = { mostFiles: maxParts, mostFields: maxInputs(fields), mostFieldLength: textBytes }
  const options = { ...most, isReadToEnd: true, onField: inputs.add }
  try {
    for await (const part of multipartFiles(request.headers.get('content-type') ?? '', body, options)) {
      refused ??= await refusalOf(part)
      if (refused) for await (const _ of part.bytes);
    }
    refused ??= await refusalOf(null)
  } catch (error) {
    // The rejected file may also be too large to read to its end; the texts before it have already arrived.
    if (!refused || !(error instanceof Failure)) throw error
  }
  return { form: inputs.toForm(fields), refused }
}

async function* limited(bytes: AsyncIterable<Uint8Array>, limitBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.byteLength
    if (size > limitBytes) throw payloadTooLarge(limitBytes)
    yield chunk
  }
}

/** The encoding of names in forms by browsers: these three characters are encoded, and no others. */
const inputColumn = (input: string): string | null =>
  input.startsWith(inputPrefix) ? input.slice(inputPrefix.length).replace(/%(?:22|0D|0A)/g, decodeURIComponent) : null

const languageOf = (text: string | undefined): MessageLanguage | null => (text === 'de' || text === 'en' ? text : null)

function createInputs() {
  const texts = new Map<string, string[]>()
  const own: Record<string, string> = { [proofInput]: '', [trapInput]: '', [languageInput]: '' }
  const add = (name: string, value: string) => {
    const column = inputColumn(name)
    const sent = column === null ? undefined : texts.get(column)
    if (sent) sent.push(value)
    else if (column !== null) texts.set(column, [value])
    else if (Object.hasOwn(own, name)) own[name] = value
    else texts.set(name, [value])
  }
  const toForm = (fields: readonly ResolvedField[]): SentForm => {
    const values: Record<string, unknown> = Object.create(null)
    const language = languageOf(own[languageInput])
    for (const [name, sent] of texts) {
      const field = fields.find(({ column }) => column.name === name)
      // Browsers also send empty inputs, so the default is not applied again. A file field has no default.
      if (field?.column.type !== 'attachment') values[name] = field ? (valueOfTexts(field.column, sent, language) ?? null) : sent[0]
    }
    // A browser sends no input for unticked boxes; a program that leaves choices out gets their default.
    for (const { column } of fields) {
      if (Object.hasOwn(values, column.name)) continue
      if (column.type === 'boolean') values[column.name] = false
      else if (column.type === 'multiSelect' && language) values[column.name] = null
    }
    return { values, proof: own[proofInput]!, trap: own[trapInput]! }
  }
  return { add, toForm }
}
