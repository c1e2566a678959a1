import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TableView } from '../../../../tables/model'
import { tablesQuery } from '../../api/queries'
import { Await, EmptyState } from '../../components/query-state'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'
import { useUser } from '../../session/use-user'
import { Offers } from './offers'

/** The list of tables, or the first steps. */
export function HomePage() {
  const { home } = useStrings()
  const { role } = useUser()
  const query = useQuery(tablesQuery)
  const isFirst = query.data?.length === 0 && role === 'admin'
  return (
    <Page title={isFirst ? home.welcome : home.title}>
      <Await query={query}>
        {(tables) => {
          if (tables.length > 0) return <TableOverview tables={tables} />
          return isFirst ? <Offers /> : <EmptyState icon="table" title={home.none} text={home.noneText} />
        }}
      </Await>
    </Page>
  )
}

const maxColumnNames = 6

function TableOverview({ tables }: { tables: TableView[] }) {
  const { home } = useStrings()
  return (
    <section className="table-frame" aria-label={home.title}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{home.name}</th>
            <th scope="col">{home.contents}</th>
            <th scope="col" className="only-wide-cell">
              {home.key}
            </th>
          </tr>
        </thead>
        <tbody>
          {tables.map((table) => (
            <TableLine key={table.id} table={table} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function TableLine({ table }: { table: TableView }) {
  const { home } = useStrings()
  const names = table.columns.map(({ name }) => name)
  const rest = names.length - maxColumnNames
  return (
    <tr>
      <th scope="row">
        <Link to="/tables/$tableId" params={{ tableId: table.id }}>
          {table.schema === 'data' ? table.name : `${table.schema}.${table.name}`}
        </Link>{' '}
        {table.readOnly ? <span className="badge is-warning">{home.readOnly}</span> : null}
      </th>
      <td className="soft">
        {names.slice(0, maxColumnNames).join(', ')}
        {rest > 0 ? ` ${home.more(rest)}` : ''}
      </td>
      <td className="soft only-wide-cell">{table.primaryKey.join(', ')}</td>
    </tr>
  )
}
