import { Link, useSearch } from '@tanstack/react-router'
import type { TableView } from '../../../tables/model'
import { validateSearch } from '../records/list/list-query'

/** The link back to the table's list, with the query that the URL keeps. */
export function BackToTable({ table, note }: { table: TableView; note: string }) {
  const search = useSearch({ strict: false })
  return (
    <p className="back">
      <Link to="/tables/$tableId" params={{ tableId: table.id }} search={validateSearch(search)}>
        {table.name}
      </Link>
      {note ? <span className="soft">{note}</span> : null}
    </p>
  )
}
