import type { Call } from 'rowhouse/plugin'
import { notFound } from '../errors'
import { madeFileDisposition } from '../http/content-disposition'
import { translatable } from '../messages/message'
import { type CallDeps, PluginCall } from '../plugins/call'
import type { PluginEndpoint } from '../plugins/load/declaration'
import type { PluginTemplate } from '../plugins/load/template'
import { TemplateProblem } from '../plugins/template-problem'
import { takePictures } from './pictures'
import { type DocumentFormat, documentFormats } from './render/job'
import { type MissingCharacters, missingCharactersText } from './render/missing-characters'

/** What becomes of the bytes. `missing` are characters that no font has. */
type Answer = (bytes: Uint8Array, missing: MissingCharacters[]) => unknown

/**
 * A document of a template is a call of a plugin like any other: `allow`, then `load`, then it is made.
 * @param begin what is to be known or refused before that
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
  title,
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
    const { data, pictures } = await takePictures(await load(call))
    const job = { format, main: template.formats[format]!, template: template.template, data, pictures }
    const outcome = await deps.renderer.render(job, PluginCall.requester(call as PluginCall))
    if ('problems' in outcome) throw new TemplateProblem(outcome.problems)
    const { bytes, missing = [] } = outcome
    if (missing.length) call.log.warn(missingCharactersText(missing), { template: name })
    return answer(bytes, missing)
  },
  place: '',
})

/**
 * SEC-52: a document may hold what anybody wrote into a record, so as a page it runs nothing and reaches nobody. The UI
 * shows it in a frame.
 */
const pagePolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'"
/** PDF is shown by the browser's own viewer, which a sandbox would keep from working. */
const filePolicy = "default-src 'none'; frame-ancestors 'self'"

/** The warning of a document whose text no font has, as JSON in percent-encoding. */
const missingHeader = 'rowhouse-missing-characters'

export function documentResponse(bytes: Uint8Array, missing: MissingCharacters[], name: string, format: DocumentFormat): Response {
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: {
      'content-type': documentFormats[format].type,
      'content-disposition': madeFileDisposition(format === 'docx' ? 'attachment' : 'inline', `${name}.${format}`),
      ...(missing.length ? { [missingHeader]: encodeURIComponent(JSON.stringify(missing)) } : {}),
      'content-security-policy': format === 'html' ? pagePolicy : filePolicy,
    },
  })
}

/** @throws Failure not_found for a format that the template does not have */
export function formatOf({ formats }: PluginTemplate, asked: string | undefined): DocumentFormat {
  const known = Object.keys(formats) as DocumentFormat[]
  const found = asked === undefined ? known[0] : known.find((each) => each === asked)
  if (!found) throw notFound(translatable('The template has no such format.'), translatable('It has {known}.', { known: known.join(', ') }))
  return found
}
