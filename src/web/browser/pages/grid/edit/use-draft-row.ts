import { type RefObject, useEffect } from 'react'
import { flushSync } from 'react-dom'
import { isUnreachable, waitUntilReachable } from '../../../api/reachability'
import { useStableCallbacks } from '../../../components/use-stable-callbacks'
import { useStrings } from '../../../language'
import type { CellMutations } from '../data/cell-mutations'
import type { RecordPages } from '../data/record-pages'
import type { Selection } from '../view/cell-selection'
import type { Notifier } from '../view/use-notice'

type DraftRowOptions = {
  frame: RefObject<HTMLElement | null>
  records: RecordPages
  mutations: CellMutations
  selection: Selection
  notifier: Notifier
}

/**
 * Saves the draft row when the focus leaves it: for another row, for an element outside the grid, or for another page.
 */
export function useDraftRow({ frame, records, mutations, selection, notifier }: DraftRowOptions) {
  const { grid } = useStrings()
  const { draftRow } = records

  async function leave(): Promise<boolean> {
    if (!draftRow.row) return true
    if (!draftRow.isUnsaved) {
      records.setDraft(null)
      return true
    }
    return draftRow.save(
      mutations.rows.create,
      (record, laterValues) => {
        mutations.append(record, records, laterValues)
        notifier.show(grid.recordCreated)
      },
      (error) => {
        mutations.list.notify()
        notifier.showError(error)
        if (isUnreachable(error)) void waitUntilReachable().then(() => calls.leave())
      },
    )
  }
  const calls = useStableCallbacks({ leave })

  const isAway = draftRow.row !== null && selection.active.row !== records.length - 1
  useEffect(() => {
    if (isAway) void calls.leave()
  }, [isAway, calls])

  useEffect(() => {
    const isWithin = (target: EventTarget | null) => target instanceof Node && frame.current?.contains(target)
    // Closing an editor moves the focus to its cell asynchronously. Switching windows does not leave the row.
    const blur = ({ target }: FocusEvent) => isWithin(target) && setTimeout(() => isWithin(document.activeElement) || void calls.leave())
    const press = ({ target }: Event) => {
      const isChoice = target instanceof Element && target.closest('.grid-options')
      // By now the editor has lost the focus, and the click has not taken effect.
      if (!isWithin(target) && !isChoice) void calls.leave()
    }
    document.addEventListener('focusout', blur)
    document.addEventListener('click', press, true)
    return () => {
      document.removeEventListener('focusout', blur)
      document.removeEventListener('click', press, true)
    }
  }, [frame, calls])
  return calls
}

/** Commits the open editor, as if it had lost the focus. */
export function commitOpenEditor() {
  const field = document.activeElement
  if (field instanceof HTMLElement && field.matches('.grid-editor')) flushSync(() => field.blur())
}
