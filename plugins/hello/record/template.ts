import { documentTemplate, failure, t } from 'rowhouse/plugin'

/** A file cell is a list of files, a many-to-many cell a list of keys. */
function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map((part) => toText(part?.name ?? part)).join(', ')
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** One record of any table, with a row for each column. */
export default documentTemplate({
  title: { en: 'Record', de: 'Datensatz' },
  public: false,
  params: t.Object({
    table: t.String({ title: { en: 'Table', de: 'Tabelle' }, maxLength: 200 }),
    record: t.String({
      title: { en: 'Record', de: 'Datensatz' },
      maxLength: 200,
      description: { en: 'The record’s id.', de: 'Die ID des Datensatzes.' },
    }),
  }),
  for: { tableParam: 'table', key: 'record' },
  allow: () => true,
  load: async ({ records, params }) => {
    const table = records(params.table)
    const record = await table.find(params.record)
    if (!record) throw failure('not_found', 'There is no such record.')
    const fields = Object.entries(record).map(([name, value]) => ({ name, value: toText(value) }))
    return { table: await table.tableName(), record: params.record, fields }
  },
  formats: { pdf: 'record.typ', html: 'record.liquid' },
})
