import type { Actor } from '../../auth/identity/actor'
import { assumeActor } from '../../auth/identity/authorize'
import type { Deps } from '../../deps'
import { documentEndpoint, documentResponse, formatOf } from '../../documents/document-endpoint'
import { findTemplate } from '../../documents/nested-documents'
import { Failure, validationFailed } from '../../errors'
import { infoOf, rememberInfo } from '../../http/request/request-info'
import { translatable } from '../../messages/message'
import type { CallDeps } from '../../plugins/call'
import type { Plugin } from '../../plugins/load/load'
import { runCall } from '../../plugins/run'
import type { LinkedDocument } from '../model'

type DocumentDeps = Deps & CallDeps

/** Resolves the target of a link to a document. @throws Failure not_found, validation_failed */
export async function resolveDocument(
  plugins: readonly Plugin[],
  { plugin: pluginName, template: name, format, params = {} }: LinkedDocument,
) {
  const { plugin, template } = await findTemplate(plugins, pluginName, name)
  const checked = template.params?.read(params, 'json') ?? { value: params }
  if ('problems' in checked)
    throw validationFailed(checked.problems.map(({ path, message }) => ({ path: `/document/params${path}`, message })))
  return { plugin, template, format: formatOf(template, format), params: checked.value }
}

/**
 * Makes the document of a link for the visitor, with the rights of the issuer.
 * @throws Failure like the template; internal for an error in the template, whose details visitors do not see
 */
export async function makeSharedDocument(
  deps: DocumentDeps,
  plugins: readonly Plugin[],
  actor: Actor,
  linked: LinkedDocument,
  request: Request,
): Promise<Response> {
  const { plugin, template, format, params } = await resolveDocument(plugins, linked)
  const endpoint = documentEndpoint(deps, template, format, async () => (bytes) => documentResponse(bytes, [], template.name, format))
  const read = { params, query: {}, body: undefined }
  const call = { request: requestAs(actor, linked, request), read, body: async () => new Uint8Array(), actor }
  const response = await runCall(deps, plugin, endpoint, call)
  if (response.ok) return response
  throw new Failure('internal', translatable('Something went wrong on our side.'))
}

/**
 * The request as the issuer would send it: without the visitor's data, and without the link's secret, which no plugin
 * may see.
 */
function requestAs(actor: Actor, { plugin, template }: LinkedDocument, request: Request): Request {
  const language = request.headers.get('accept-language')
  const own = new Request(`http://localhost/api/v1/documents/${encodeURIComponent(plugin)}/${encodeURIComponent(template)}`, {
    headers: language === null ? {} : { 'accept-language': language },
    signal: request.signal,
  })
  rememberInfo(own, infoOf(request))
  assumeActor(own, actor)
  return own
}
