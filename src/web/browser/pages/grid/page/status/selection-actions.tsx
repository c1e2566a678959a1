import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TableView } from '../../../../../../tables/model'
import { documentsQuery } from '../../../../api/documents-query'
import { tablesQuery } from '../../../../api/queries'
import { ConfirmDialog } from '../../../../components/confirm-dialog'
import { lazyComponent } from '../../../../components/lazy-component'
import { useStrings } from '../../../../language'
import { loggedQuery } from '../../../../records/list/change-queries'
import { offersDocument } from '../../../../records/list/record-templates'
import { dependentsQuery, maxCountedKeys } from '../../../../records/mutations/dependents'
import { maxRestorable, restoreLosses } from '../../../../records/mutations/restoration'
import { unknownValue } from '../../../../records/mutations/undo-stack'
import type { RecordPages } from '../../../../records/pages/record-pages'
import { cellKind, isEditable } from '../../../../records/values/cell-kinds'
import type { ColumnInfo } from '../../../../records/values/column'
import { quoteName } from '../../../../records/values/record-key'
import { useGridModel } from '../../model/grid-model'
import type { RowSelectionState } from '../use-row-selection'

const LazyBulkEdit = lazyComponent(async () => (await import('../../../lazy-pages')).BulkEdit)

export type SelectionActionsProps = {
  rowSelection: RowSelectionState
  undo: () => void
  makeDocument: (segments: readonly string[]) => void
}

/** The actions for selected records. */
export function SelectionActions({ rowSelection, undo, makeDocument }: SelectionActionsProps) {
  const { grid, documents } = useStrings()
  const { table, records, mutations, columns, notifier } = useGridModel()
  const { data: tables = [] } = useQuery(tablesQuery)
  const { data: templates } = useQuery(documentsQuery())
  const { data: isLogged } = useQuery(loggedQuery(table))
  const [isEditing, setEditing] = useState<boolean | null>(null)
  const { checked, count } = rowSelection
  const isUndoable = count <= maxRestorable
  const isRestorable = isUndoable && table.can.create
  // Unique columns and keys cannot have the same value in all records.
  const isSettable = (column: ColumnInfo) =>
    isEditable(column) && cellKind(column) !== 'files' && !column.unique && !table.primaryKey.includes(column.name)
  const settable = columns.flatMap(({ column: { id } }) => table.columns.filter((column) => column.id === id && isSettable(column)))

  const remove = async () => {
    const affected = checked.isAll
      ? await mutations.rows.deleteAll(allRecordsQuery(table, records), isRestorable)
      : await mutations.rows.deleteByKeys([...checked.keys]).finally(() => records.reset())
    rowSelection.clear()
    rowSelection.setDeleting(false)
    if (checked.isAll) records.reset(affected)
    notifier.show(grid.recordsDeleted(affected), isRestorable ? undo : undefined, table.id)
    // The button that had the focus is gone.
    setTimeout(() => document.querySelector<HTMLElement>('.grid [tabindex="0"]')?.focus({ preventScroll: true }))
  }
  // If there are too many records to undo the change, or an unknown number, the change uses the list's filter.
  const isChangedByFilter = checked.isAll && !(isUndoable && records.count?.isExact && table.primaryKey.length > 0)
  const update = async (name: string, value: unknown) => {
    if (isChangedByFilter) {
      const affected = await mutations.rows.updateAll(allRecordsQuery(table, records), { [name]: value })
      records.reset()
      return notifier.show(grid.recordsUpdated(affected))
    }
    const keys = checked.isAll ? (await records.range(0, count - 1)).flatMap(({ key }) => key ?? []) : [...checked.keys]
    const previousValue = (key: string) => {
      const row = records.find(key)
      return row ? row.record[name] : unknownValue
    }
    // The records stay selected even if they no longer match the filter.
    rowSelection.select(keys)
    const written = await mutations.write(keys.map((key) => ({ key, column: name, before: previousValue(key), after: value })))
    if (written) notifier.show(grid.recordsUpdated(written.length), undo)
  }
  const selected = () => (checked.isAll ? null : [...checked.keys].map((key) => records.find(key)?.record ?? {}))
  const isWhole = checked.isAll && filterOf(records).length === 0
  const { data: dependents } = useQuery({
    ...dependentsQuery(table, tables, checked.isAll ? null : [...checked.keys]),
    enabled: rowSelection.isDeleting && (checked.isAll ? isWhole : count <= maxCountedKeys),
  })
  const linking = tables.filter(({ id }) => !dependents || dependents.some((each) => each.table.id === id))
  const losses = () => (isLogged ? '' : grid.notRestored(restoreLosses(table, linking, selected())))
  const deleteText = () => [
    ...(dependents ?? []).map((each) => grid.dependents(each.count, each.table.name, each.isDeleted)),
    ...(isRestorable ? [grid.deleteText, losses()] : [grid.deletePermanently]),
  ]
  return (
    <div className="grid-chosen">
      <strong>{grid.selected(count)}</strong>
      {settable.length && table.can.update ? (
        <Button size="compact-xs" variant="default" onClick={() => setEditing(true)}>
          {grid.bulkEdit}
        </Button>
      ) : null}
      {!checked.isAll && offersDocument(templates, table, count) ? (
        <Button size="compact-xs" variant="default" onClick={() => makeDocument([...checked.keys])}>
          {documents.make(count)}
        </Button>
      ) : null}
      {table.can.delete ? (
        <Button size="compact-xs" variant="default" color="red" onClick={() => rowSelection.setDeleting(true)}>
          {grid.bulkDelete}
        </Button>
      ) : null}
      <Button size="compact-xs" variant="subtle" onClick={rowSelection.clear}>
        {grid.clearSelection}
      </Button>
      {isEditing === null ? null : (
        <LazyBulkEdit
          columns={settable}
          count={count}
          isPermanent={isChangedByFilter}
          isOpen={isEditing}
          close={() => setEditing(false)}
          update={update}
        />
      )}
      <ConfirmDialog
        isOpen={rowSelection.isDeleting}
        close={() => rowSelection.setDeleting(false)}
        title={grid.deleteTitle(count)}
        text={deleteText().filter(Boolean).join(' ')}
        action={grid.deleteAction(count)}
        name={isWhole ? table.name : undefined}
        onConfirm={remove}
      />
    </div>
  )
}

/** The filter and the search of the displayed list. The page may be loading another one. */
const filterOf = ({ source }: RecordPages) => [...new URLSearchParams(source.query)].filter(([name]) => name !== 'order')

/**
 * The query string that selects all records of the list, limited to the displayed count if it is exact. A write by
 * filter requires a condition; the key is never null, so that condition matches all records.
 */
function allRecordsQuery(table: TableView, records: RecordPages): string {
  const found = filterOf(records)
  const all = found.length ? found : [[quoteName(table.primaryKey[0]!), 'not.is.null']]
  const bounded = records.count?.isExact ? [...all, ['maxAffected', String(records.recordCount)]] : all
  return bounded.map(([name, value]) => `${encodeURIComponent(name!)}=${encodeURIComponent(value!)}`).join('&')
}
