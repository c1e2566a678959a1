import { Failure } from '../errors'
import { safeFileName } from '../http/response/content-disposition'
import { PluginCall } from '../plugins/call'
import type { HostDeps } from '../plugins/host/data-access'
import { recordAccess } from '../plugins/host/records'
import { textIn } from '../plugins/load/localized-text'
import type { PluginTemplate } from '../plugins/load/template'

/**
 * The name for a document's file, without the extension: what the template's `fileName` returns for `data`; else, for a
 * template with `for`, its title (or the table, if the template is for all tables) and the record's name; else the
 * template's name.
 * @throws Error for a `fileName` that returns no text
 */
export async function documentFileName(deps: HostDeps, call: PluginCall, template: PluginTemplate, data: unknown): Promise<string> {
  const name = template.fileName ? givenName(template.fileName(data)) : await subjectOf(deps, call, template)
  return safeFileName(name?.trim() || template.name)
}

function givenName(name: unknown): string {
  if (typeof name !== 'string') throw new Error('"fileName" of the template returned no text.')
  return name
}

/** Null if the caller may not read the record, which a template may show nevertheless. */
async function subjectOf(deps: HostDeps, call: PluginCall, { for: about, title }: PluginTemplate): Promise<string | null> {
  if (!about) return null
  const params = Object(call.params) as Record<string, unknown>
  const tableName = 'table' in about ? about.table : String(params[about.tableParam])
  const keys = [params[about.key]].flat()
  try {
    const table = recordAccess(deps.db, PluginCall.dataAccess(call), tableName)
    const kind = 'table' in about ? textIn(title, call.language) : await table.tableName()
    if (keys.length !== 1) return kind
    const record = await table.find(String(keys[0]))
    const [texts] = record ? await table.texts([record]) : []
    return texts ? `${kind} ${texts.name.split('\n')[0] || keys[0]}` : null
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}
