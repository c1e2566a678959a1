import { documentTemplate, t } from 'rowhouse/plugin'

/** A sheet of labels, three in a row, for the records of any table that the caller may read. */
export default documentTemplate({
  title: { en: 'Sheet of labels', de: 'Etikettenbogen' },
  public: false,
  params: t.Object({
    table: t.String({ title: { en: 'Table', de: 'Tabelle' }, maxLength: 200 }),
    columns: t.Array(t.String({ maxLength: 63 }), {
      title: { en: 'Columns', de: 'Spalten' },
      minItems: 1,
      maxItems: 6,
      description: { en: 'The lines of a label.', de: 'Die Zeilen eines Etiketts.' },
    }),
    records: t.Array(t.String({ maxLength: 10_000 }), {
      title: { en: 'Records', de: 'Datensätze' },
      default: [],
      maxItems: 1000,
      description: { en: 'Their ids; leave empty to use the filter.', de: 'Ihre IDs; leer lassen, um den Filter zu verwenden.' },
    }),
    filter: t.String({
      title: { en: 'Filter', de: 'Filter' },
      maxLength: 2000,
      default: '',
      description: { en: 'As in the API, for example city=eq.Vienna.', de: 'Wie in der API, zum Beispiel city=eq.Wien.' },
    }),
  }),
  for: { tableParam: 'table', key: 'records' },
  allow: () => true,
  load: async ({ records, params }) => {
    const table = records(params.table)
    const chosen = await Promise.all(params.records.map((key) => table.find(key)))
    const found = params.records.length > 0 ? chosen.filter((record) => record !== null) : (await table.list(params.filter)).records
    return { labels: (await table.texts(found)).map(({ values }) => params.columns.map((column) => values[column] ?? '')) }
  },
  formats: { pdf: 'sheet.typ', txt: 'sheet.liquid' },
})
