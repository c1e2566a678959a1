import type { Deps } from '../deps'
import type { DocumentFormat } from '../documents/job'
import { getRecord } from '../records/service'
import type { Acting, Ground } from './acting'
import { filesOf } from './files'
import type { Plugin } from './load'
import type { SaveTo } from './order'
import { keyOf } from './records'
import type { PluginTemplate } from './template'

type Made = { plugin: Plugin; template: PluginTemplate; format: DocumentFormat; bytes: Uint8Array }

/**
 * Puts a document into a cell of files, as the caller, and notes what it was made from.
 * @returns the file, the hash of the template, and the version of the record before
 */
export async function saveDocument(ground: Ground, acting: Acting, { table: name, pk, column }: SaveTo, made: Made): Promise<Response> {
  const { table } = await acting.reach(name, 'write')
  const { version } = await getRecord(ground.db, table, keyOf(table, pk))
  const fileName = `${made.template.name}.${made.format}`
  const [file] = await filesOf(ground, acting).write(name, pk, column, { name: fileName, bytes: made.bytes })
  await noteOrigin(ground, { ...made, fileId: file!.id, version, userId: acting.userId })
  return Response.json({ file, templateHash: made.template.template.hash, recordVersion: version }, { status: 201 })
}

const insert = `insert into rowhouse.documents (file_id, plugin, template, format, template_hash, record_version, created_by)
  values ($1::uuid, $2, $3, $4, $5, $6, $7::uuid)`

type Origin = Omit<Made, 'bytes'> & { fileId: string; version: string; userId: string | null }

/** The file is there in any case; without the note it only cannot say what it came from. */
async function noteOrigin({ db, events }: Pick<Deps, 'db' | 'events'>, { fileId, plugin, template, format, version, userId }: Origin) {
  const parameters = [fileId, plugin.name, template.name, format, template.template.hash, version, userId]
  await db.query(insert, parameters).catch((error) => events.emit({ kind: 'background_failed', task: 'noting a document', error }))
}
