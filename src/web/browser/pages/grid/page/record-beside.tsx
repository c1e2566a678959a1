import { useEffect, useMemo, useRef, useState } from 'react'
import { lazyComponent } from '../../../components/lazy-component'
import { isSameValue } from '../../../records/values/cell-values'
import { isUnseen, type TableRecord } from '../../../records/values/record-key'
import type { SavedChange, WriteResult } from '../../../records/values/record-queries'
import { selectCell } from '../model/cell-selection'
import { useGridModel } from '../model/grid-model'

const LazyRecordPanel = lazyComponent(async () => (await import('../../lazy-pages')).RecordPanel)

type RecordBesideProps = {
  segment: string | null
  showBeside: (segment: string | null) => void
  deleteRecord: (segment: string) => Promise<void>
}

/** The open record beside the grid. The active cell moves to the row of that record. */
export function RecordBeside({ segment, showBeside, deleteRecord }: RecordBesideProps) {
  const { table, columns, records, mutations, selection, select, keepPlace } = useGridModel()
  const [isUsed, setUsed] = useState(segment !== null)
  if (segment !== null && !isUsed) setUsed(true)
  const at = segment === null ? -1 : records.indexOf(segment)
  const opened = useRef({ segment, selection })
  const marked = useRef<string | null>(null)
  // A link or the Back button may open a record that is not the active one. If its page loads late, and the user has
  // moved the selection by then, the selection stays.
  useEffect(() => {
    if (opened.current.segment !== segment) opened.current = { segment, selection }
    if (marked.current === segment) return
    const isElsewhere = segment === null || selection !== opened.current.selection
    if (at < 0 && !isElsewhere) return
    marked.current = segment
    if (!isElsewhere && selection.active.row !== at) select(selectCell(at, Math.max(0, selection.active.column)))
  }, [at, segment, select, selection])
  // If its key changes, the record stays open, and the active cell does not move.
  useEffect(() =>
    records.onRename((key, now) => {
      if (key !== segment) return
      marked.current = now
      showBeside(now)
    }),
  )
  const order = columns.map(({ column }) => column.id).join()
  // The fields have the order of the columns, with hidden ones last.
  const ordered = useMemo(() => {
    const positions = new Map(order.split(',').map((id, index) => [id, index]))
    const placeOf = ({ id }: { id: string }) => positions.get(id) ?? positions.size
    return { ...table, columns: table.columns.toSorted((one, other) => placeOf(one) - placeOf(other)) }
  }, [table, order])
  if (!isUsed) return null
  const keyAt = (row: number) => (at < 0 ? null : (records.rowAt(row)?.key ?? null))
  const open = (next: string | null) => {
    const row = next === null ? -1 : records.indexOf(next)
    if (row >= 0) select(selectCell(row, Math.max(0, selection.active.column)))
    showBeside(next)
  }
  const remove = (key: string) => {
    records.removeRows([key])
    showBeside(null)
  }
  const onStored = (before: string, { record, requestId }: WriteResult, changes: readonly SavedChange[]) => {
    if (isUnseen(record)) return remove(before)
    const now = mutations.rename(before, record)
    mutations.recordSaved(now, changes, requestId)
    records.replace(now, record)
  }
  const onFetched = (key: string, record: TableRecord) => {
    const row = records.find(key)?.record
    // The list may be outdated, for example after an upload of files.
    if (row && Object.keys(row).some((name) => !isSameValue(row[name], record[name]))) records.replace(key, record)
  }
  return (
    <LazyRecordPanel
      table={ordered}
      segment={segment}
      previous={keyAt(at - 1)}
      next={keyAt(at + 1)}
      listed={segment === null ? null : records.find(segment)?.record}
      open={open}
      onFetched={onFetched}
      onLeave={() => keepPlace(Math.max(0, at))}
      deleteRecord={deleteRecord}
      onDeleted={remove}
      onStored={onStored}
    />
  )
}
