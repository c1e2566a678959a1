import { documentTemplate, failure, t } from 'rowhouse/plugin'

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
  load: async ({ records, params, language }) => {
    const table = records(params.table)
    const record = await table.find(params.record)
    if (!record) throw failure('not_found', 'There is no such record.')
    const [texts] = await table.texts([record])
    const fields = Object.entries(texts!.values).map(([name, value]) => ({ name, value }))
    return { language, table: await table.tableName(), record: texts!.name.split('\n')[0] || params.record, fields }
  },
  formats: { pdf: 'record.typ', html: 'record.liquid' },
})
