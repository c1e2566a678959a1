import { useQuery } from '@tanstack/react-query'
import { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { tablesQuery } from '../../../api/queries'
import { useUser } from '../../../api/use-user'
import { useStableCallbacks } from '../../../components/use-stable-callbacks'
import { useStrings } from '../../../language'
import { layOutColumns } from '../../../records/list/column-layout'
import { withRenamedColumns } from '../../../records/list/renamed-columns'
import type { CellMutations } from '../../../records/mutations/cell-mutations'
import { mutationsFor } from '../../../records/mutations/table-mutations'
import { DraftRows } from '../../../records/pages/draft-rows'
import { RecordPages } from '../../../records/pages/record-pages'
import { canWriteAny } from '../../../records/values/column'
import { LinkLabelsContext } from '../../../records/values/link-labels'
import { useViewedRights } from '../../../records/values/table-rights'
import type { GridModel } from './grid-model'
import { type GridQuery, useGridQuery, useQueryOutcome } from './use-grid-query'
import { useNotice } from './use-notice'
import { useSelection } from './use-selection'
import { useShownPages } from './use-shown-pages'

/** Creates the model of a table and connects its writes to the displayed list. */
export function useTableModel({ table, view, ...saved }: Pick<GridModel, 'table' | 'view' | 'change' | 'choose'>): GridModel {
  const { grid } = useStrings()
  const viewed = useViewedRights(table)
  const { change, choose } = useStableCallbacks({ change: saved.change, choose: saved.choose })
  const frame = useRef<HTMLDivElement>(null)
  const { id: userId } = useUser()
  const [mutations] = useState(() => mutationsFor(userId, table.id))
  // The user may have renamed linked records on the previous page.
  useState(useContext(LinkLabelsContext).expire)
  const gridQuery = useGridQuery({ table, view, change })
  useRenamedColumns(table, gridQuery)
  const wanted = useRecordPages(table, gridQuery.parameters, mutations)
  const records = useShownPages(wanted)
  const isChecking = useQueryOutcome(table, wanted, gridQuery)
  // Runs before the other effects of the page, which may write.
  useLayoutEffect(() => mutations.use(table, records), [mutations, table, records])
  return {
    table,
    view,
    change,
    choose,
    columns: useMemo(() => layOutColumns(table, view), [table, view]),
    gridQuery,
    wanted,
    records,
    failure: wanted.isLoaded || isChecking ? null : wanted.error,
    mutations,
    ...useSelection(records, frame),
    ...useNotice(),
    rights: { ...table.can, any: canWriteAny(table), refusal: table.readOnly ? grid.readOnlyTable : (viewed?.text ?? grid.readOnlyUser) },
    frame,
  }
}

/** Filters and order follow columns that are renamed, and drop columns that are deleted. */
function useRenamedColumns({ columns }: TableView, { query, setQuery }: GridQuery) {
  // The page that contains the grid fetches them.
  const { data: tables = [] } = useQuery({ ...tablesQuery, refetchOnMount: false })
  const before = useRef({ columns, tables })
  useEffect(() => {
    const now = { columns, tables }
    const renamed = withRenamedColumns(query, before.current, now)
    before.current = now
    if (renamed) setQuery(renamed)
  }, [columns, tables, query, setQuery])
}

/** The list of a query. If only the columns of the table have changed, it keeps its count until it has loaded. */
function useRecordPages(table: TableView, query: string, { pending }: CellMutations): RecordPages {
  const { can, personColumn } = table
  const { id } = useUser()
  const drafts = useMemo(() => new DraftRows(can.create, personColumn ? { [personColumn]: id } : {}), [can.create, personColumn, id])
  const previous = useRef<RecordPages | null>(null)
  const pages = useMemo(() => {
    const { id: tableId, primaryKey } = table
    const count = previous.current?.source.query === query ? previous.current.total : null
    return new RecordPages({ tableId, primaryKey, query }, drafts, pending, count)
  }, [table, query, drafts, pending])
  useEffect(() => {
    previous.current = pages
  }, [pages])
  return pages
}
