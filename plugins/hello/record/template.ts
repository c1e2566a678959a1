import { documentTemplate, failure, t } from 'rowhouse/plugin'

/** Records of any table, a page for each, with a row for each column. */
export default documentTemplate({
  title: { en: 'Record', de: 'Datensatz' },
  public: false,
  params: t.Object({
    table: t.String({ title: { en: 'Table', de: 'Tabelle' }, maxLength: 200 }),
    record: t.Array(t.String({ maxLength: 10_000 }), {
      title: { en: 'Records', de: 'Datensätze' },
      minItems: 1,
      maxItems: 200,
      description: { en: 'Their ids.', de: 'Ihre IDs.' },
    }),
  }),
  for: { tableParam: 'table', key: 'record' },
  allow: () => true,
  load: async ({ records, params, language }) => {
    const table = records(params.table)
    const found = await Promise.all(params.record.map((key) => table.find(key)))
    if (!found.every((record) => record !== null)) throw failure('not_found', 'There is no such record.')
    const [tableName, texts] = [await table.tableName(), await table.texts(found)]
    const sections = texts.map(({ name, values }, index) => ({
      name: name.split('\n')[0] || params.record[index]!,
      fields: Object.entries(values).map(([column, value]) => ({ name: column, value })),
    }))
    return { language, table: tableName, title: sections.length === 1 ? sections[0]!.name : tableName, records: sections }
  },
  formats: { pdf: 'record.typ', html: 'record.liquid' },
})
