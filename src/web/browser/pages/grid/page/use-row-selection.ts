import { useEffect, useRef, useState } from 'react'
import { useGridModel } from '../model/grid-model'

/** The selected records: individual keys, or the whole list, including records that are not loaded. */
export type RowSelection = { isAll: true } | { isAll: false; keys: ReadonlySet<string> }

const none: RowSelection = { isAll: false, keys: new Set() }

/** The keys of more records would take too many requests: they are selected all at once only. */
const maxListed = 2000

const keysOf = (selected: RowSelection): Iterable<string> => (selected.isAll ? [] : selected.keys)

function toggled(selected: RowSelection, key: string): RowSelection {
  const keys = new Set(keysOf(selected))
  if (!keys.delete(key)) keys.add(key)
  return { isAll: false, keys }
}

export function useRowSelection() {
  const { table, records, selection, notifier } = useGridModel()
  const [checked, setChecked] = useState<RowSelection>(none)
  const last = useRef(0)
  /** Set to ask whether the selected records are to be deleted. */
  const [isDeleting, setDeleting] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list clears the selection
  useEffect(() => setChecked(none), [records])
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
  const count = checked.isAll ? records.recordCount : checked.keys.size
  // Without a selection, nobody sees the question, and it would be open when there is one again.
  useEffect(() => {
    if (count === 0) setDeleting(false)
  }, [count])

  /** Selects all records but one; none, if they are too many to list. */
  const leaveOut = async (row: number) => {
    const left = records.rowAt(row)?.key
    const before: RowSelection = { isAll: false, keys: new Set() }
    setChecked(before)
    if (records.recordCount > maxListed) return
    const rows = await records.range(0, records.recordCount - 1)
    const keys = rows.flatMap(({ key }) => (key === null || key === left ? [] : key))
    // Not if another selection has been made meanwhile.
    setChecked((now) => (now === before ? { isAll: false, keys: new Set(keys) } : now))
  }
  /** Also records that are not loaded yet. */
  const addRange = async (from: number, to: number) => {
    const rows = await records.range(from, Math.min(to, from + maxListed - 1))
    setChecked((before) => ({ isAll: false, keys: new Set([...keysOf(before), ...rows.flatMap(({ key }) => key ?? [])]) }))
  }
  const toggle = (row: number, isRange: boolean) => {
    const [from, to] = [Math.min(last.current, row), Math.max(last.current, row)]
    last.current = row
    if (isRange) return void addRange(from, to).catch(notifier.showError)
    if (checked.isAll) return void leaveOut(row).catch(notifier.showError)
    const key = records.rowAt(row)?.key
    if (key) setChecked((before) => toggled(before, key))
  }
  return {
    checked,
    count,
    state: count === 0 ? ('none' as const) : checked.isAll ? ('all' as const) : ('some' as const),
    isChecked: (key: string | null) => key !== null && (checked.isAll || checked.keys.has(key)),
    toggle,
    toggleAll: () => setChecked(checked.isAll ? none : { isAll: true }),
    select: (keys: readonly string[]) => setChecked({ isAll: false, keys: new Set(keys) }),
    clear: () => setChecked(none),
    /** Whether the Delete key is about the selected records. In a row that is being typed it clears cells. */
    isDeletedByKey: count > 0 && table.can.delete && !records.rowAt(selection.active.row)?.isDraft,
    isDeleting,
    setDeleting,
    askToDelete: (keys: readonly string[]) => {
      setChecked({ isAll: false, keys: new Set(keys) })
      setDeleting(true)
    },
  }
}

export type RowSelectionState = ReturnType<typeof useRowSelection>
