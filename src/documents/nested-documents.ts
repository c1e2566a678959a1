import { unauthenticated } from '../auth/identity/actor'
import type { Deps } from '../deps'
import { notFound, validationFailed } from '../errors'
import { translatable } from '../messages/message'
import { type CallDeps, type CallRequest, PluginCall, type RequestedDocument } from '../plugins/call'
import type { Plugin } from '../plugins/load/load'
import { type LoadedPlugins, wholePlugins } from '../plugins/load/loaded'
import type { PluginTemplate } from '../plugins/load/template'
import { decide } from '../plugins/run'
import { isOwnTemplates, ownTemplates } from '../plugins/sdk/own-templates'
import { documentEndpoint, formatOf } from './document-endpoint'

type FoundTemplate = { plugin: Plugin; template: PluginTemplate }

/** The templates of the plugins; without any, the service's own, so that every record can become a document. */
export async function listTemplates(plugins: readonly Plugin[]): Promise<FoundTemplate[]> {
  const found = templatesOf(plugins)
  return found.length ? found : templatesOf([await ownTemplates()])
}

const templatesOf = (plugins: readonly Plugin[]): FoundTemplate[] =>
  plugins.flatMap((plugin) => plugin.templates.map((template) => ({ plugin, template })))

/**
 * By plugin and name. The service's own template is found even when it is not listed, so that links to it stay valid.
 * @throws Failure not_found
 */
export async function findTemplate(plugins: readonly Plugin[], pluginName: string, name: string): Promise<FoundTemplate> {
  const plugin = isOwnTemplates(pluginName) ? await ownTemplates() : plugins.find((each) => each.name === pluginName)
  const template = plugin?.templates.find((each) => each.name === name)
  if (!plugin || !template)
    throw notFound(translatable('There is no such template.'), translatable('GET /api/v1/documents lists those that you may use.'))
  return { plugin, template }
}

/** Two templates that render each other would otherwise continue until the memory is exhausted. */
const maxDepth = 8

/** @throws the reason why the call has ended */
function requireFiniteNesting({ within }: CallRequest) {
  within?.ending.throwIfAborted()
  if (within && within.depth > maxDepth) throw new Error(`Documents make each other more than ${maxDepth} times over.`)
}

/**
 * The function `documents.render` of plugins: renders a document within a call, for the same caller, authorized as if
 * they had requested it themselves.
 */
export function callDepsOf(deps: Deps, loaded: LoadedPlugins): Deps & CallDeps {
  const plugins = wholePlugins(loaded)
  const callDeps: Deps & CallDeps = {
    ...deps,
    makeDocument: async (own: Plugin, request: CallRequest, requested: RequestedDocument) => {
      requireFiniteNesting(request)
      const { plugin, template } = await findTemplate(plugins, requested.plugin ?? own.name, requested.template)
      if (!template.isPublic && !request.actor) throw unauthenticated()
      const checked = template.params?.read(requested.params ?? {}, 'json') ?? { value: requested.params ?? {} }
      if ('problems' in checked) throw validationFailed(checked.problems)
      const endpoint = documentEndpoint(callDeps, template, formatOf(template, requested.format), async () => (bytes) => bytes)
      const read = { params: checked.value, query: {}, body: undefined }
      const call = new PluginCall(callDeps, plugin, endpoint, { ...request, read })
      try {
        return (await decide(call, endpoint, () => {})) as Uint8Array
      } finally {
        PluginCall.close(call)
      }
    },
  }
  return callDeps
}
