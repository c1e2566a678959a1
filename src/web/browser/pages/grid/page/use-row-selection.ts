import { useEffect, useRef, useState } from 'react'
import { useStrings } from '../../../language'
import type { RecordPages } from '../../../records/pages/record-pages'
import { useGridModel } from '../model/grid-model'

/** The selected records: individual keys, or the whole list, including records that are not loaded. */
export type RowSelection = { isAll: true } | { isAll: false; keys: ReadonlySet<string> }

const none: RowSelection = { isAll: false, keys: new Set() }

/** Fetching the keys of more records would take too many requests; they can only be selected all at once. */
const maxListed = 2000

const keysOf = (selected: RowSelection): Iterable<string> => (selected.isAll ? [] : selected.keys)

function toggled(selected: RowSelection, key: string): RowSelection {
  const keys = new Set(keysOf(selected))
  if (!keys.delete(key)) keys.add(key)
  return { isAll: false, keys }
}

/** The selection, which a new list clears. */
function useChecked(records: RecordPages) {
  const [checked, setChecked] = useState<RowSelection>(none)
  /** How often the selection was replaced. Keys that were requested before that are not added. */
  const turn = useRef(0)
  const replace = (selected: RowSelection) => {
    turn.current++
    setChecked(selected)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list clears the selection
  useEffect(() => replace(none), [records])
  useEffect(
    () =>
      records.onRename((key, now) =>
        setChecked((before) => {
          if (before.isAll || !before.keys.has(key)) return before
          return { isAll: false, keys: new Set([...before.keys].map((each) => (each === key ? now : each))) }
        }),
      ),
    [records],
  )
  return { checked, setChecked, replace, turn }
}

export function useRowSelection() {
  const { grid } = useStrings()
  const { table, records, selection, notifier } = useGridModel()
  const { checked, setChecked, replace, turn } = useChecked(records)
  const last = useRef(0)
  /** Whether the dialog asks to confirm the deletion of the selected records. */
  const [isDeleting, setDeleting] = useState(false)
  const count = checked.isAll ? records.recordCount : checked.keys.size
  // Without a selection, the dialog is invisible, and would appear with the next selection.
  useEffect(() => {
    if (count === 0) setDeleting(false)
  }, [count])

  /** The keys of rows, loaded or not; null if they cannot be fetched, or the selection was replaced in the meantime. */
  const fetchKeys = async (from: number, to: number): Promise<string[] | null> => {
    const { current } = turn
    try {
      const rows = await records.range(from, to)
      return turn.current === current ? rows.flatMap(({ key }) => key ?? []) : null
    } catch (error) {
      // If the list was replaced, its requests were cancelled, which is not an error to report.
      if (turn.current === current) notifier.showError(error)
      return null
    }
  }
  /** Selects all records but one, or none if they are too many to list. */
  const leaveOut = async (row: number) => {
    const left = records.rowAt(row)?.key
    const before: RowSelection = { isAll: false, keys: new Set() }
    setChecked(before)
    if (records.recordCount > maxListed) return
    const keys = await fetchKeys(0, records.recordCount - 1)
    // Another selection may have been made in the meantime.
    if (keys) setChecked((now) => (now === before ? { isAll: false, keys: new Set(keys.filter((key) => key !== left)) } : now))
  }
  const addRange = async (from: number, to: number) => {
    const keys = await fetchKeys(from, Math.min(to, from + maxListed - 1))
    if (!keys) return
    setChecked((before) => ({ isAll: false, keys: new Set([...keysOf(before), ...keys]) }))
    if (to - from >= maxListed) notifier.showFailure(grid.rangeCut(maxListed))
  }
  const toggle = (row: number, isRange: boolean) => {
    const [from, to] = [Math.min(last.current, row), Math.max(last.current, row)]
    last.current = row
    if (isRange) return void addRange(from, to)
    if (checked.isAll) return void leaveOut(row)
    const key = records.rowAt(row)?.key
    if (key) setChecked((before) => toggled(before, key))
  }
  return {
    checked,
    count,
    state: count === 0 ? ('none' as const) : checked.isAll ? ('all' as const) : ('some' as const),
    isChecked: (key: string | null) => key !== null && (checked.isAll || checked.keys.has(key)),
    toggle,
    toggleAll: () => replace(checked.isAll ? none : { isAll: true }),
    select: (keys: readonly string[]) => replace({ isAll: false, keys: new Set(keys) }),
    clear: () => replace(none),
    /** Whether the Delete key deletes the selected records. In a draft row it clears cells. */
    isDeletedByKey: count > 0 && table.can.delete && !records.rowAt(selection.active.row)?.isDraft,
    isDeleting,
    setDeleting,
    askToDelete: (keys: readonly string[]) => {
      replace({ isAll: false, keys: new Set(keys) })
      setDeleting(true)
    },
  }
}

export type RowSelectionState = ReturnType<typeof useRowSelection>
