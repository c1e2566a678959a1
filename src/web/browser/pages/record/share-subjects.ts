import type { FileView } from '../../../../attachments/model'
import type { TableView } from '../../../../tables/model'
import type { Template } from '../../api/documents-query'
import { toPathSegment } from '../../api/urls'
import type { ShareSubject } from '../../components/sharing/share-dialog'
import { recordParameters, templateTitle } from '../../records/list/record-templates'
import { generatedKey } from '../../records/values/column'
import type { TableRecord } from '../../records/values/record-key'
import type { Strings } from '../../strings/en'
import { parseParameters } from './document-parameters'

/** The parts of a record that can be shared: the record, its files, and documents that need no other parameters. */
export function shareSubjects(
  table: TableView,
  segment: string,
  record: TableRecord,
  templates: readonly Template[],
  words: Strings['links'],
): ShareSubject[] {
  const address = { table: table.id, pk: toPathSegment(segment) }
  const restricted = table.restrictedColumns
  const files = table.columns
    .filter(({ type }) => type === 'attachment')
    .flatMap(({ id, name }) =>
      ((record[name] ?? []) as FileView[]).map(
        (file): ShareSubject => ({
          label: words.file(file.name),
          body: { ...address, column: id, fileId: file.id },
          restricted: restricted?.filter((column) => column === name),
        }),
      ),
    )
  const documents = templates.flatMap((template): ShareSubject[] => {
    const fixed = Object.fromEntries(recordParameters(template, table, [segment]))
    const { properties, required = [] } = template.params ?? {}
    if (!required.every((name) => name in fixed || properties?.[name]?.default !== undefined)) return []
    const params = Object.fromEntries(Object.entries(parseParameters(template, fixed, fixed)).filter(([name]) => name in fixed))
    const document = { plugin: template.plugin, template: template.template, params }
    return [{ label: words.document(templateTitle(template, templates)), body: { ...address, document }, restricted }]
  })
  const columns = table.can.columns.read
  return [{ label: words.thisRecord, body: address, columns, restricted, unticked: generatedKey(table) }, ...files, ...documents]
}
