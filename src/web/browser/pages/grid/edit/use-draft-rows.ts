import { useEffect } from 'react'
import { flushSync } from 'react-dom'
import { isUnreachable, waitUntilReachable } from '../../../api/reachability'
import { useStableCallbacks } from '../../../components/use-stable-callbacks'
import { useStrings } from '../../../language'
import { Creation } from '../../../records/mutations/creation'
import type { CellChange } from '../../../records/mutations/undo-stack'
import { type DraftRow, missingColumns } from '../../../records/pages/draft-row'
import type { DraftRows } from '../../../records/pages/draft-rows'
import { isSameValue } from '../../../records/values/cell-values'
import { isUnseen } from '../../../records/values/record-key'
import { afterCreation } from '../model/cell-selection'
import { useGridModel } from '../model/grid-model'

/**
 * Saves a draft row when the focus leaves it: for another row, for an element outside the grid, or for another page. A
 * row that cannot be saved stays, with its messages at its cells.
 */
export function useDraftRows() {
  const { grid } = useStrings()
  const { table, frame, records, mutations, selection, select, notifier } = useGridModel()
  const { drafts } = records
  const active = drafts.rows[selection.active.row - records.recordCount]

  /** Marks required cells without a value. @returns whether there are any, or texts that cannot be values */
  function refuseIncomplete(rows: readonly DraftRow[]): boolean {
    const names = new Set<string>()
    for (const draft of rows) {
      const missing = missingColumns(table, draft.row)
      if (missing.length) draft.refuse(Object.fromEntries(missing.map((name) => [name, grid.valueRequired])))
      for (const name of missing) names.add(name)
    }
    const refused = rows.flatMap(({ row }) => Object.values(row.refused ?? {}))
    if (names.size === 0 && refused.length === 0) return false
    mutations.list.notify()
    notifier.showFailure(names.size ? grid.rowIncomplete([...names]) : grid.unreadable(refused.length), rows[0]?.group)
    return true
  }

  /**
   * Creates several records and changes cells, either all or nothing.
   * @returns the number of changed cells; null if nothing was written
   */
  async function createTogether(group: readonly DraftRow[], changes: CellChange[] = []): Promise<number | null> {
    const rows = unsavedRows(drafts, group)
    if (refuseIncomplete(rows)) return null
    const values = rows.map(({ valuesToCreate }) => valuesToCreate)
    const creation = new Creation(table.id, values, () => {
      for (const row of rows) row.setUnsent()
      mutations.list.notify()
    })
    const work = mutations.writeAndCreate(changes, creation)
    for (const row of rows) row.join(work.then(({ created }) => created.length > 0))
    const { written, created, failedCreation } = await work
    if (created.length) {
      if (rows[0]) notifier.clearFailure(rows[0].group)
      drafts.remove(rows)
      for (const [index, { body }] of created.entries()) {
        const { pending = {} } = rows[index]!.row
        const later = Object.entries(pending).filter(([name, value]) => !isSameValue(value, values[index]![name]))
        rows[index]!.set(null)
        mutations.append(body, records, Object.fromEntries(later))
      }
      return written.length
    }
    // A row that can be corrected stays. If an existing record was rejected, the user has to paste again.
    const failed = failedCreation?.row ?? null
    if (failed !== null) rows[failed]!.refuse(failedCreation!.errors)
    else if (changes.length) drafts.remove(rows)
    else for (const row of rows) row.refuse({})
    mutations.list.notify()
    return null
  }

  async function save(draft: DraftRow): Promise<boolean> {
    if (!draft.isSaving && draft.group.length > 1) {
      const rows = unsavedRows(drafts, draft.group)
      const isCreated = (await createTogether(rows)) !== null
      if (isCreated) notifier.announce(grid.recordsCreated(rows.length))
      return isCreated
    }
    if (!draft.isSaving && refuseIncomplete([draft])) return false
    return draft.save(
      mutations.rows.create,
      (record, laterValues) => {
        const index = drafts.rows.indexOf(draft)
        const { recordCount } = mutations.list
        drafts.remove([draft])
        mutations.append(record, records, laterValues)
        select((before) => afterCreation(before, recordCount, index, !isUnseen(record)))
        if (isUnseen(record)) return notifier.show(grid.recordCreatedUnseen)
        notifier.clearFailure(draft.group)
        notifier.announce(grid.recordCreated)
      },
      (error) => {
        mutations.list.notify()
        notifier.showError(error, undefined, draft.group)
        if (isUnreachable(error)) void waitUntilReachable().then(() => calls.leave(null))
      },
    )
  }

  /** Saves all rows but one. @param isForced includes refused, unchanged rows @returns whether all are saved */
  async function leave(except: DraftRow | null, isForced = false): Promise<boolean> {
    const { rows } = drafts
    if (drafts.removeBlank(except)) mutations.list.notify()
    const tried = new Set<DraftRow>(except?.group)
    for (const draft of rows) {
      if (tried.has(draft) || !draft.isUnsaved || (!isForced && draft.group.some(({ isRefused }) => isRefused))) continue
      for (const each of draft.group) tried.add(each)
      // A save that waits for the service may take long.
      if (!(draft.isSaving && draft.row.isUnsent)) await save(draft)
    }
    return !drafts.isUnsaved
  }
  const calls = useStableCallbacks({ leave, createTogether })

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the active row changes
  useEffect(() => void calls.leave(active ?? null), [selection.active.row, calls])

  useEffect(() => {
    const isWithin = (target: EventTarget | null) =>
      target instanceof Element && (frame.current?.contains(target) || target.closest('.grid-options, .grid-context') !== null)
    // Closing an editor moves the focus to its cell asynchronously. Switching windows does not leave the row.
    const blur = ({ target }: FocusEvent) =>
      isWithin(target) && setTimeout(() => isWithin(document.activeElement) || void calls.leave(null))
    // At this point the editor has lost the focus, and the click has not taken effect yet.
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

/** Excludes discarded rows. */
const unsavedRows = ({ rows }: DraftRows, group: readonly DraftRow[]): DraftRow[] =>
  group.filter((draft) => rows.includes(draft) && draft.isUnsaved)

/** Commits the open editor, as if it had lost the focus. */
export function commitOpenEditor() {
  const field = document.activeElement
  if (field instanceof HTMLElement && field.matches('.grid-editor')) flushSync(() => field.blur())
}
