import type { Call } from 'rowhouse/plugin'
import { notFound } from '../errors'
import { madeFileDisposition } from '../http/response/content-disposition'
import { translatable } from '../messages/message'
import { type CallDeps, PluginCall } from '../plugins/call'
import type { PluginEndpoint } from '../plugins/load/declaration'
import { textIn } from '../plugins/load/localized-text'
import type { PluginTemplate } from '../plugins/load/template'
import { TemplateProblem } from '../plugins/template-problem'
import { takePictures } from './pictures'
import { type DocumentFormat, documentFormats } from './render/job'
import { type MissingCharacters, missingCharactersText } from './render/missing-characters'

/** Turns the bytes into a response. `missing` are characters that no font has; `data` is what `load` returned. */
type Answer = (bytes: Uint8Array, missing: MissingCharacters[], data: unknown) => unknown

/**
 * A template's document is a plugin call like any other: `allow`, then `load`, then the rendering.
 * @param begin runs before that; it may prepare data or reject the call
 */
export const documentEndpoint = (
  deps: CallDeps,
  { name, title, isPublic, params, allow, load, ...template }: PluginTemplate,
  format: DocumentFormat,
  begin: (call: Call<unknown, unknown, unknown>) => Promise<Answer>,
): PluginEndpoint => ({
  method: 'GET',
  path: `/${name}`,
  isPublic,
  isOwn: false,
  title: textIn(title, 'en'),
  description: undefined,
  maxBodyBytes: undefined,
  cors: undefined,
  limit: undefined,
  params,
  query: undefined,
  body: undefined,
  response: undefined,
  allow,
  handle: async (call) => {
    const answer = await begin(call)
    const loaded = await load(call)
    const { data, pictures } = await takePictures(loaded)
    const job = { format, main: template.formats[format]!, template: template.template, data, pictures }
    const outcome = await deps.renderer.render(job, PluginCall.requester(call as PluginCall))
    if ('problems' in outcome) throw new TemplateProblem(outcome.problems)
    const { bytes, missing = [] } = outcome
    if (missing.length) call.log.warn(missingCharactersText(missing), { template: name })
    return answer(bytes, missing, loaded)
  },
  stack: '',
})

/**
 * SEC-52: a document may contain text that anyone has written into a record, so as a page it runs no code and contacts
 * no server. The UI shows it in a frame.
 */
const pagePolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'"
/** The browser's own viewer displays PDF, which a sandbox would prevent. */
const filePolicy = "default-src 'none'; frame-ancestors 'self'"

/** The warning for a document with characters that no font has, as percent-encoded JSON. */
const missingHeader = 'rowhouse-missing-characters'

export function documentResponse(bytes: Uint8Array, missing: MissingCharacters[], name: string, format: DocumentFormat): Response {
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: {
      'content-type': documentFormats[format].type,
      'content-disposition': madeFileDisposition(format === 'docx' ? 'attachment' : 'inline', name, format),
      ...(missing.length ? { [missingHeader]: encodeURIComponent(JSON.stringify(missing)) } : {}),
      'content-security-policy': format === 'html' ? pagePolicy : filePolicy,
    },
  })
}

/** @throws Failure not_found for a format that the template does not have */
export function formatOf({ formats }: PluginTemplate, format: string | undefined): DocumentFormat {
  const formatNames = Object.keys(formats) as DocumentFormat[]
  const found = format === undefined ? formatNames[0] : formatNames.find((each) => each === format)
  if (!found)
    throw notFound(translatable('The template has no such format.'), translatable('It has {known}.', { known: formatNames.join(', ') }))
  return found
}
