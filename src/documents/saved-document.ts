import type { Deps } from '../deps'
import type { DataAccess, HostDeps } from '../plugins/host/data-access'
import { fileAccess } from '../plugins/host/files'
import { recordKeyOf } from '../plugins/host/records'
import type { Plugin } from '../plugins/load/load'
import type { PluginTemplate } from '../plugins/load/template'
import { getRecord } from '../records/store/service'
import type { DocumentFormat } from './render/job'
import type { MissingCharacters } from './render/missing-characters'
import type { SaveTo } from './render-request'

type Origin = { plugin: Plugin; template: PluginTemplate; format: DocumentFormat; fileId: string; version: string; userId: string | null }

type Source = Pick<Origin, 'plugin' | 'template' | 'format'>

/**
 * Finds the record before the document is made, so that nothing is made for callers who may not write it, and its
 * version is not later than the one that `load` saw.
 * @returns a function that puts the document into the cell, as the caller, and records its origin: the file, the hash
 * of the template, and that version
 */
export async function beginSaving(deps: HostDeps, access: DataAccess, { table: name, pk, column }: SaveTo, source: Source) {
  const { table } = await access.getTable(name, 'write')
  const { version } = await getRecord(deps.db, table, recordKeyOf(table, pk))
  const { template, format } = source
  return async (bytes: Uint8Array, missing: MissingCharacters[], fileName: string): Promise<Response> => {
    const [file] = await fileAccess(deps, access).write(name, pk, column, { name: `${fileName}.${format}`, bytes })
    await noteOrigin(deps, { ...source, fileId: file!.id, version, userId: access.userId })
    const origin = { file, templateHash: template.template.hash, recordVersion: version }
    return Response.json(missing.length ? { ...origin, missingCharacters: missing } : origin, { status: 201 })
  }
}

const insert = `insert into rowhouse.documents (file_id, plugin, template, format, template_hash, record_version, created_by)
  values ($1::uuid, $2, $3, $4, $5, $6, $7::uuid)`

/** The file is saved in any case; without this row only its origin is unknown. */
async function noteOrigin({ db, events }: Pick<Deps, 'db' | 'events'>, { fileId, plugin, template, format, version, userId }: Origin) {
  const parameters = [fileId, plugin.name, template.name, format, template.template.hash, version, userId]
  await db.query(insert, parameters).catch((error) => events.emit({ kind: 'background_failed', task: 'noting a document', error }))
}
