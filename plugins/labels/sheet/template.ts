import { documentTemplate, t } from 'rowhouse/plugin'

/** A sheet of labels, three in a row, for the records of any table that the caller may read. */
export default documentTemplate({
  title: 'Sheet of labels',
  public: false,
  params: t.Object({
    table: t.String({ maxLength: 200, description: 'The table’s name or id.' }),
    columns: t.Array(t.String({ maxLength: 63 }), { minItems: 1, maxItems: 6, description: 'What stands on a label, a line each.' }),
    records: t.Array(t.String({ maxLength: 200 }), {
      default: [],
      maxItems: 1000,
      description: 'Primary keys; empty for all that the filter finds.',
    }),
    filter: t.String({ maxLength: 2000, default: '', description: 'As in the query of GET …/records, for example city=eq.Vienna.' }),
  }),
  for: { tableParam: 'table', key: 'records' },
  allow: () => true,
  load: async ({ records, params }) => {
    const table = records(params.table)
    const chosen = await Promise.all(params.records.map((key) => table.find(key)))
    const found = params.records.length > 0 ? chosen.filter((record) => record !== null) : (await table.list(params.filter)).records
    return { labels: found.map((record) => params.columns.map((column) => String(record[column] ?? ''))) }
  },
  formats: { pdf: 'sheet.typ', txt: 'sheet.liquid' },
})
