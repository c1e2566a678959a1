import { useInViewport } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { tablesQuery } from '../../api/queries'
import { useUser } from '../../api/use-user'
import { TableMark } from '../../components/initials'
import { Await, EmptyState } from '../../components/query-state'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'
import { fetchPage } from '../../records/list/first-page'
import { readOpenedTables } from '../../session/opened-tables'
import { formatAgo, formatNumber } from '../../values/format'
import { tableColors } from '../../values/table-colors'
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

/** The tables, most recently opened first. */
function TableOverview({ tables }: { tables: TableView[] }) {
  const { home } = useStrings()
  const [opened] = useState(readOpenedTables)
  const colors = tableColors(tables)
  const sorted = tables.toSorted((a, b) => (opened[b.id] ?? '').localeCompare(opened[a.id] ?? ''))
  return (
    <section className="table-frame" aria-label={home.title}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{home.name}</th>
            <th scope="col" className="is-number">
              {home.records}
            </th>
            <th scope="col">{home.opened}</th>
            <th scope="col" className="only-wide-cell">
              {home.contents}
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((table) => (
            <TableLine key={table.id} table={table} color={colors.get(table.id)} openedAt={opened[table.id]} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

type TableLineProps = { table: TableView; color: string | undefined; openedAt: string | undefined }

function TableLine({ table, color, openedAt }: TableLineProps) {
  const { home } = useStrings()
  const names = table.columns.map(({ name }) => name)
  const rest = names.length - maxColumnNames
  return (
    <tr>
      <th scope="row">
        <TableMark name={table.name} color={color} />{' '}
        <Link to="/tables/$tableId" params={{ tableId: table.id }}>
          {table.schema === 'data' ? table.name : `${table.schema}.${table.name}`}
        </Link>{' '}
        {table.readOnly ? <span className="badge is-warning">{home.readOnly}</span> : null}
      </th>
      {table.can.read ? <RecordCount tableId={table.id} /> : <td />}
      <td className="soft">{openedAt ? formatAgo(openedAt, Date.now()) : null}</td>
      <td className="soft only-wide-cell">
        {names.slice(0, maxColumnNames).join(', ')}
        {rest > 0 ? ` ${home.more(rest)}` : ''}
      </td>
    </tr>
  )
}

/** The service counts up to this number of records, and estimates larger numbers. */
const maxCounted = 10_000

/** Counts only when the line becomes visible: a database can have a thousand tables. */
function RecordCount({ tableId }: { tableId: string }) {
  const { home } = useStrings()
  const { ref, inViewport } = useInViewport<HTMLTableCellElement>()
  const { data: count } = useQuery({
    queryKey: ['record-count', tableId],
    enabled: inViewport,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }) => (await fetchPage(tableId, ['limit=1', 'count=estimated'], signal)).totalCount ?? null,
  })
  return (
    <td ref={ref} className="soft is-number">
      {count == null ? null : count > maxCounted ? home.about(formatNumber(count)) : formatNumber(count)}
    </td>
  )
}
