import { documentTemplate, t } from 'rowhouse/plugin'

/** A sheet of labels, three in a row, for the records of any table that the caller may read. */
export default documentTemplate({
  title: 'Sheet of labels',
  public: false,
  params: t.Object({
    table: t.String({ maxLength: 200, description: 'The table’s name or id.' }),
    columns: t.Array(t.String({ maxLength: 63 }), { minItems: 1, maxItems: 6, description: 'What stands on a label, a line each.' }),
    filter: t.String({ maxLength: 2000, default: '', description: 'As in the query of GET …/records, for example city=eq.Vienna.' }),
  }),
  allow: () => true,
  load: async ({ records, params }) => {
    const { records: found } = await records(params.table).list(params.filter)
    return { labels: found.map((record) => params.columns.map((column) => String(record[column] ?? ''))) }
  },
  formats: { pdf: 'sheet.typ', txt: 'sheet.liquid' },
})
