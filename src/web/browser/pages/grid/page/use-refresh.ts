import { focusManager } from '@tanstack/react-query'
import { useContext, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { ApiError } from '../../../api/api-error'
import { minFocusAgeMs, queryClient, tablesQuery } from '../../../api/queries'
import { useStableCallbacks } from '../../../components/use-stable-callbacks'
import { useStrings } from '../../../language'
import { type ListRefresh, refreshList } from '../../../records/pages/list-refresh'
import { LinkLabelsContext } from '../../../records/values/link-labels'
import type { Selection } from '../model/cell-selection'
import { useGridModel } from '../model/grid-model'
import { rowLayout } from '../view/row-layout'
import { useLiveChanges } from './use-live-changes'

/**
 * Shows changes of other users: at once while the window is visible, when it gets the focus, and on F9. The selection
 * and the visible part stay at their records. If a refresh would move the row of a cell that is being edited, it waits
 * for the end of the edit.
 */
export function useRefresh(isEditing: boolean) {
  const { grid } = useStrings()
  const { table, view, frame, records, mutations, selection, select, notifier } = useGridModel()
  const { height: rowHeight } = rowLayout(view)
  const labels = useContext(LinkLabelsContext)
  const running = useRef<Promise<number | null> | null>(null)
  const isDue = useRef(false)
  const [isRefreshing, setRefreshing] = useState(false)

  const activeRow = () => records.rowAt(selection.active.row)

  /** Whether the refresh would move the row that is being edited. */
  const isHeld = (found: ListRefresh) => {
    const key = activeRow()?.key
    return isEditing && (key ? found.moves(key) : found.movesEnd)
  }

  /** The row that keeps its place in the window: the first visible one that still exists. */
  function findAnchor({ deleted }: ListRefresh): { key: string; row: number } | null {
    const scroller = frame.current?.querySelector('.grid-frame')
    const first = Math.floor((scroller?.scrollTop ?? 0) / rowHeight)
    for (let row = first; row < first + Math.ceil((scroller?.clientHeight ?? 0) / rowHeight); row++) {
      const key = records.rowAt(row)?.key
      if (key && !deleted.includes(key)) return { key, row }
    }
    return null
  }

  function apply(found: ListRefresh) {
    const { active } = selection
    const activeKey = activeRow()?.key
    const behindEnd = active.row - records.recordCount
    const anchor = findAnchor(found)
    flushSync(() => {
      found.apply()
      const row = activeKey ? records.indexOf(activeKey) : behindEnd >= 0 ? records.recordCount + behindEnd : active.row
      if (row >= 0 && row !== active.row) select((before) => moveSelection(before, row - active.row))
    })
    const scroller = frame.current?.querySelector('.grid-frame')
    const row = anchor ? records.indexOf(anchor.key) : -1
    // At the top of the list, records that were added there are shown.
    if (anchor && row >= 0 && scroller && scroller.scrollTop > 0) scroller.scrollTop += (row - anchor.row) * rowHeight
  }

  /** @returns the number of deleted records; null if nothing was shown */
  async function run(isAsked: boolean): Promise<number | null> {
    const found = await refreshList(table, records, isAsked)
    return found && calls.show(found)
  }

  function show(found: ListRefresh): number | null {
    isDue.current = isHeld(found)
    if (isDue.current) return null
    apply(found)
    labels.refresh()
    if (found.deleted.length) notifier.show(grid.deletedElsewhere(found.deleted.length))
    return found.deleted.length
  }

  /** Runs one refresh at a time. */
  const start = (isAsked: boolean): Promise<number | null> => {
    running.current ??= run(isAsked).finally(() => {
      running.current = null
    })
    return running.current
  }

  async function refresh() {
    setRefreshing(true)
    try {
      await queryClient.invalidateQueries({ queryKey: tablesQuery.queryKey })
      if ((await start(true)) === 0) notifier.show(grid.refreshed)
    } catch (error) {
      notifier.showError(error)
    } finally {
      setRefreshing(false)
    }
  }

  /** The user's next request will show the failure. */
  const refreshQuietly = async () => records.isLoaded && start(false).catch(() => null)

  /** A running refresh may have read the list before the change. */
  async function refreshAfterChange() {
    await running.current?.catch(() => null)
    return records.isLoaded && start(false)
  }

  /** Reports an error of a write. If the record no longer exists, its row disappears instead. */
  async function reportError(error: unknown) {
    const isGone = error instanceof ApiError && error.status === 404
    const deleted = isGone ? await start(false).catch(() => null) : null
    if (!deleted) notifier.showError(error)
  }

  const calls = useStableCallbacks({ refresh, refreshQuietly, refreshAfterChange, reportError, show })

  useEffect(
    () =>
      focusManager.subscribe((isFocused) => {
        if (isFocused && Date.now() - records.shown.fetchedAt >= minFocusAgeMs) void calls.refreshQuietly()
      }),
    [records, calls],
  )
  useEffect(() => {
    if (!isEditing && isDue.current) void calls.refreshQuietly()
  }, [isEditing, calls])
  useLiveChanges(table, calls.refreshAfterChange)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'F9' || event.defaultPrevented || document.querySelector('[role="dialog"]')) return
      event.preventDefault()
      void calls.refresh()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [calls])
  useEffect(() => mutations.listenForErrors(calls.reportError), [mutations, calls])
  return { refresh: calls.refresh, isRefreshing }
}

function moveSelection({ active, head, tabStart }: Selection, rows: number): Selection {
  return {
    active: { ...active, row: active.row + rows },
    head: { ...head, row: Math.max(0, head.row + rows) },
    isFollowing: true,
    tabStart,
  }
}
