import { type DocumentDecoration, Elysia } from 'elysia'
import { auditCsrf } from '../auth/audit/audit-csrf'
import { authHooks, optionalCredential } from '../auth/hooks'
import { authOf, authorize, authorizeOptional, reauthorize } from '../auth/identity/authorize'
import type { Deps } from '../deps'
import { validationFailed } from '../errors'
import { afterSlowBody, pluginLimit } from '../http/request/body'
import { languageOf } from '../http/request/language'
import type { MessageLanguage } from '../messages/message'
import { type CallDeps, PluginCall } from '../plugins/call'
import type { Plugin } from '../plugins/load/load'
import { type LoadedPlugins, wholePlugins } from '../plugins/load/loaded'
import { textIn } from '../plugins/load/localized-text'
import type { PluginTemplate } from '../plugins/load/template'
import { pluginBodyOf } from '../plugins/request'
import { runCall } from '../plugins/run'
import { findTable, type Tables, tablesFor } from '../tables/catalog/catalog'
import { describeList, describeMaking, describePostedMaking } from './description'
import { documentEndpoint, documentResponse, formatOf } from './document-endpoint'
import { documentFileName } from './file-name'
import { findTemplate, listTemplates } from './nested-documents'
import { readRenderRequest } from './render-request'
import { beginSaving } from './saved-document'

/** Long parameters are posted as a form, which changes nothing; `saveTo` refuses those who view as another user. */
const requirement = { area: 'data', isForViewers: true } as const

/**
 * R9: the generator runs outside of the middleware; each template declares whether it is public, and decides on every
 * call. So a client sends its credential if it has one.
 */
const described = (description: object): DocumentDecoration =>
  ({ tags: ['documents'], 'x-needs': 'open', security: optionalCredential, ...description }) as DocumentDecoration

const unread = { parse: [() => null] }

export const documentRoutes = (deps: Deps & CallDeps, loaded: LoadedPlugins) => {
  const plugins = wholePlugins(loaded)

  const list = async ({ request }: { request: Request }) => {
    const actor = await auditCsrf(deps, request, () => authorizeOptional(deps, request, requirement))
    const all = await listTemplates(plugins)
    const tables = actor && { all: await deps.catalog.at(actor.catalogVersion), readable: await tablesFor(deps.catalog, actor) }
    const usable = all.filter(({ template }) => template.isPublic || actor !== null)
    return { documents: usable.map((each) => toDocumentView(each, tables, languageOf(request))) }
  }

  const make = async ({ request, params }: { request: Request; params: Record<string, string> }) => {
    const { plugin, template } = await findTemplate(plugins, params.plugin ?? '', params.template ?? '')
    if (!template.isPublic) {
      await auditCsrf(deps, request, () => authorize(deps, request, requirement))
      // A token or a role may be revoked while a body arrives.
      afterSlowBody(request, () => auditCsrf(deps, request, () => reauthorize(deps, request, requirement)))
    }
    const body = pluginBodyOf(request, pluginLimit(deps.config))
    const order = await readRenderRequest(request, body, template.params?.schema)
    const actor = template.isPublic ? null : await authOf(deps, request).require()
    const format = formatOf(template, order.format)
    const checked = template.params?.read(order.params, order.source) ?? { value: order.params }
    if ('problems' in checked) throw validationFailed(checked.problems)
    const endpoint = documentEndpoint(deps, template, format, async (call) => {
      const nameOf = (data: unknown) => documentFileName(deps, call as PluginCall, template, data)
      if (!order.saveTo) return async (bytes, missing, data) => documentResponse(bytes, missing, await nameOf(data), format)
      // For a public template the caller may not have been identified yet, and a saved document needs an author.
      await call.auth.require()
      const save = await beginSaving(deps, PluginCall.dataAccess(call as PluginCall), order.saveTo, { plugin, template, format })
      return async (bytes, missing, data) => save(bytes, missing, order.saveTo?.name ?? (await nameOf(data)))
    })
    const read = { params: checked.value, query: {}, body: undefined }
    return runCall(deps, plugin, endpoint, { request, read, body, actor, language: order.language })
  }

  return new Elysia({ name: 'documents/routes', prefix: '/api/v1/documents', tags: ['documents'] })
    .use(authHooks(deps))
    .get('/', list, { ...unread, detail: described(describeList) })
    .get('/:plugin/:template', make, { ...unread, detail: described(describeMaking) })
    .post('/:plugin/:template', make, { ...unread, detail: described(describePostedMaking) })
}

type TablesOfCaller = { all: Tables; readable: Tables }

/** Names no table that the caller may not read. */
const toDocumentView = (
  { plugin, template }: { plugin: Plugin; template: PluginTemplate },
  tables: TablesOfCaller | null,
  language: MessageLanguage,
) => ({
  plugin: plugin.name,
  template: template.name,
  title: textIn(template.title, language),
  public: template.isPublic,
  formats: Object.keys(template.formats),
  params: template.params?.schemaIn(language) ?? null,
  for: recordsOf(template, tables),
})

/** With the id of the table. A name means the same table as in the plugin, though the caller may not read it. */
function recordsOf({ for: records }: PluginTemplate, tables: TablesOfCaller | null) {
  if (!records || !('table' in records)) return records
  const id = tables ? findTable(tables.all, records.table)?.id : undefined
  return id !== undefined && tables?.readable.byId.has(id) ? { ...records, table: id } : null
}
