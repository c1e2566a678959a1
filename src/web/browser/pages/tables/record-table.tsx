import { useQuery } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { Await, Empty } from '../../components/state'
import { useStrings } from '../../language'
import { cellText, isNumeric } from './cell-text'
import { firstRecordsQuery, type TableRecord } from './records-query'

const pageSize = 100

/** The first page of a table's records. */
export function RecordTable({ table }: { table: TableView }) {
  const { tables } = useStrings()
  const query = useQuery(firstRecordsQuery(table.id, pageSize))
  return (
    <Await query={query} lines={12}>
      {(records) =>
        records.length === 0 ? (
          <Empty icon="table" title={tables.noRecords} text={tables.noRecordsText} />
        ) : (
          <Records table={table} records={records} />
        )
      }
    </Await>
  )
}

function Records({ table, records }: { table: TableView; records: TableRecord[] }) {
  const { tables } = useStrings()
  const keyOf = (record: TableRecord, index: number) => table.primaryKey.map((name) => String(record[name])).join(',') || String(index)
  return (
    <section className="stack">
      <p className="soft">{records.length === pageSize ? tables.firstOnly(pageSize) : tables.shown(records.length)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled has to be reachable by keyboard */}
      <section className="table-frame" tabIndex={0} aria-label={tables.recordsOf(table.name)}>
        <table className="table">
          <thead>
            <tr>
              {table.columns.map(({ id, name, type }) => (
                <th key={id} scope="col" className={isNumeric(type) ? 'cell is-number' : 'cell'}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {records.map((record, index) => (
              <tr key={keyOf(record, index)}>
                {table.columns.map(({ id, name, type }) => (
                  <td key={id} className={isNumeric(type) ? 'cell is-number' : 'cell'}>
                    {cellText(record[name], type, tables)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
}
