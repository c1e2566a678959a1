import type { TableView } from '../../../../tables/model'
import { useStrings } from '../../language'

/** What a table is made of. */
export function ColumnList({ table }: { table: TableView }) {
  const { tables } = useStrings()
  const yesNo = (value: boolean) => (value ? tables.yes : tables.no)
  return (
    <section className="stack">
      <h2>{tables.columns}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled has to be reachable by keyboard */}
      <section className="table-frame" tabIndex={0} aria-label={tables.columnsOf(table.name)}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{tables.name}</th>
              <th scope="col">{tables.type}</th>
              <th scope="col">{tables.required}</th>
              <th scope="col">{tables.unique}</th>
            </tr>
          </thead>
          <tbody>
            {table.columns.map((column) => (
              <tr key={column.id}>
                <th scope="row">
                  {column.name} {table.primaryKey.includes(column.name) ? <span className="badge">{tables.key}</span> : null}
                </th>
                <td>{column.type}</td>
                <td>{yesNo(column.required)}</td>
                <td>{yesNo(column.unique)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
}
