import { type Dispatch, type RefObject, type SetStateAction, useEffect } from 'react'
import { flushSync } from 'react-dom'
import type { TableView } from '../../../../../tables/model'
import { isUnreachable, waitUntilReachable } from '../../../api/reachability'
import { useStableCallbacks } from '../../../components/use-stable-callbacks'
import { useStrings } from '../../../language'
import type { CellMutations } from '../data/cell-mutations'
import { type DraftRow, missingColumns } from '../data/draft-row'
import type { RecordPages } from '../data/record-pages'
import { afterCreation, type Selection } from '../view/cell-selection'
import type { Notifier } from '../view/use-notice'

type DraftRowsOptions = {
  table: TableView
  frame: RefObject<HTMLElement | null>
  records: RecordPages
  mutations: CellMutations
  selection: Selection
  select: Dispatch<SetStateAction<Selection>>
  notifier: Notifier
}

/**
 * Saves a draft row when the focus leaves it: for another row, for an element outside the grid, or for another page. A
 * row that cannot be saved stays, with its messages at its cells.
 */
export function useDraftRows({ table, frame, records, mutations, selection, select, notifier }: DraftRowsOptions) {
  const { grid } = useStrings()
  const { drafts } = records
  const active = drafts.rows[selection.active.row - records.recordCount]

  async function save(draft: DraftRow): Promise<boolean> {
    const missing = missingColumns(table, draft.row.pending)
    if (missing.length) {
      draft.refuse(Object.fromEntries(missing.map((name) => [name, grid.valueRequired])))
      mutations.list.notify()
      notifier.showFailure(grid.rowIncomplete(missing))
      return false
    }
    return draft.save(
      mutations.rows.create,
      (record, laterValues) => {
        const index = drafts.rows.indexOf(draft)
        const { recordCount } = mutations.list
        drafts.remove([draft])
        mutations.append(record, records, laterValues)
        select((before) => afterCreation(before, recordCount, index))
        notifier.show(grid.recordCreated)
      },
      (error) => {
        mutations.list.notify()
        notifier.showError(error)
        if (isUnreachable(error)) void waitUntilReachable().then(() => calls.leave(null))
      },
    )
  }

  /** Saves all rows but one. @param isForced also those that were refused as they are @returns whether none is left */
  async function leave(except: DraftRow | null, isForced = false): Promise<boolean> {
    const { rows } = drafts
    drafts.removeBlank(except ?? undefined)
    if (rows !== drafts.rows) mutations.list.notify()
    for (const draft of rows) if (draft !== except && draft.isUnsaved && (isForced || !draft.isRefused)) await save(draft)
    return !drafts.isUnsaved
  }
  const calls = useStableCallbacks({ leave })

  // biome-ignore lint/correctness/useExhaustiveDependencies: leaving a row is a change of the active row
  useEffect(() => void calls.leave(active ?? null), [selection.active.row, calls])

  useEffect(() => {
    const isWithin = (target: EventTarget | null) =>
      target instanceof Element && (frame.current?.contains(target) || target.closest('.grid-options, .grid-context') !== null)
    // Closing an editor moves the focus to its cell asynchronously. Switching windows does not leave the row.
    const blur = ({ target }: FocusEvent) =>
      isWithin(target) && setTimeout(() => isWithin(document.activeElement) || void calls.leave(null))
    // By now the editor has lost the focus, and the click has not taken effect.
    const press = ({ target }: Event) => isWithin(target) || void calls.leave(null)
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
