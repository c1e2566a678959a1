import { type RefObject, useEffect } from 'react'
import { flushSync } from 'react-dom'
import { isUnreachable, untilReachable } from '../../../api/reachability'
import { useStable } from '../../../components/use-stable-callbacks'
import { useStrings } from '../../../language'
import type { Writer } from '../data/cell-mutations'
import type { Records } from '../data/record-pages'
import type { Selection } from '../view/cell-selection'
import type { Tell } from '../view/use-notice'

type Work = { frame: RefObject<HTMLElement | null>; records: Records; writer: Writer; selection: Selection; tell: Tell }

/** Saves the row that was begun when it is left: for another row, for what stands beside the grid, or for another page. */
export function useDraft({ frame, records, writer, selection, tell }: Work) {
  const { grid } = useStrings()
  const { draftRow } = records

  async function leave(): Promise<boolean> {
    if (!draftRow.row) return true
    if (!draftRow.isUnsaved) {
      records.setDraft(null)
      return true
    }
    return draftRow.save(
      writer.rows.create,
      (record, later) => {
        writer.append(record, records, later)
        tell.say(grid.recordCreated)
      },
      (error) => {
        writer.list.tell()
        tell.refuse(error)
        if (isUnreachable(error)) void untilReachable().then(() => calls.leave())
      },
    )
  }
  const calls = useStable({ leave })

  const isAway = draftRow.row !== null && selection.active.row !== records.length - 1
  useEffect(() => {
    if (isAway) void calls.leave()
  }, [isAway, calls])

  useEffect(() => {
    const isWithin = (target: EventTarget | null) => target instanceof Node && frame.current?.contains(target)
    // The field that was edited in goes, and its cell gets the focus a moment later. In another window nothing was left.
    const blur = ({ target }: FocusEvent) => isWithin(target) && setTimeout(() => isWithin(document.activeElement) || void calls.leave())
    const press = ({ target }: Event) => {
      const isChoice = target instanceof Element && target.closest('.grid-options')
      // By now the field that was edited in has been left, and what is pressed has not acted yet.
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

/** What stands in the field of a cell is taken as if it had been left. */
export function leaveEditor() {
  const field = document.activeElement
  if (field instanceof HTMLElement && field.matches('.grid-editor')) flushSync(() => field.blur())
}
