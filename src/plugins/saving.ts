import type { Call } from 'rowhouse/plugin'
import type { DocumentFormat } from '../documents/job'
import type { Plugin } from './load'
import type { SaveTo } from './order'
import type { PluginTemplate } from './template'

type Saved = { plugin: Plugin; template: PluginTemplate; format: DocumentFormat; saveTo: SaveTo }

/** Puts a document into a cell of files, as the caller. @returns the file, and the hash of the template that it was made with */
export async function saveDocument(bytes: Uint8Array, call: Call<unknown, unknown, unknown>, { template, format, saveTo }: Saved) {
  const [file] = await call.files.write(saveTo.table, saveTo.pk, saveTo.column, { name: `${template.name}.${format}`, bytes })
  return Response.json({ file, templateHash: template.template.hash }, { status: 201 })
}
