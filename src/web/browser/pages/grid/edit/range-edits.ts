import type { CellChange } from '../../../records/mutations/undo-stack'
import type { RefusedTexts } from '../../../records/pages/pending-cells'
import type { DisplayedRow } from '../../../records/pages/record-pages'
import { cellKind, isEditable } from '../../../records/values/cell-kinds'
import type { GridColumn } from '../../../records/values/cell-values'
import type { Strings } from '../../../strings/en'
import { problemMessage } from '../../../values/typed-dates'
import { UnreadableInput } from '../../../values/unreadable-input'
import { type Range, rangeOf } from '../model/cell-selection'
import { valueInRow } from '../model/displayed-value'
import type { GridModel } from '../model/grid-model'
import { continueRange } from './fill-range'

/** The maximum number of cells to paste or clear at once. */
export const maxCells = 20_000

/** `refused` counts the cells whose text cannot be read, `values` the cells with a readable value. */
export type RangeChanges = { changes: CellChange[]; skipped: number; refused: number; values: number }

/** The new value of a cell. @param row from the first row of the range @param column from its first column */
export type ValueAt = (row: number, column: number, of: GridColumn, current: unknown) => unknown

/** Writes ranges of cells: clears them, fills them, and sets pasted values. */
export class RangeEdits {
  constructor(
    readonly model: GridModel,
    readonly words: Strings['grid'],
    readonly undo: () => void,
  ) {}

  readonly clear = () => {
    const { active } = this.model.selection
    if (active.row >= 0 && active.column >= 0) void this.write(this.selected, (_row, _column, column) => emptyValue(column))
  }

  /** Fills cells beside the selection by continuing it. */
  readonly fill = (target: Range) => void this.fillFrom(this.selected, target)

  /** Copies the first row or column of the selection to the others. A single one is filled with the cells before it. */
  readonly fillSelection = (direction: 'down' | 'right') => {
    const range = this.selected
    const isDown = direction === 'down'
    const first = isDown ? range.top : range.left
    const isSingle = first === (isDown ? range.bottom : range.right)
    if (isSingle && first === 0) return
    const from = isSingle ? first - 1 : first
    const source = isDown ? { ...range, top: from, bottom: from } : { ...range, left: from, right: from }
    const target = isDown ? { ...range, top: from + 1 } : { ...range, left: from + 1 }
    void this.fillFrom(source, target, true)
  }

  get selected(): Range {
    return rangeOf(this.model.selection)
  }

  /** Why a range of this many cells cannot be written; null if it can. */
  problemOf(cells: number): string | null {
    const { rights } = this.model
    if (!rights.create && !rights.update) return rights.refusal
    return cells > maxCells ? this.words.tooManyCells(maxCells) : null
  }

  /** Writes the editable cells of a range. */
  async write(range: Range, valueAt: ValueAt, rounded = () => 0): Promise<boolean> {
    const { mutations, notifier, rights } = this.model
    const { words, undo } = this
    const problem = this.problemOf((range.bottom - range.top + 1) * (range.right - range.left + 1))
    if (problem) notifier.show(problem)
    const found = problem ? null : await this.changesOf(range, valueAt)
    if (!found) return false
    const written = await mutations.write(found.changes)
    const note = rounded() ? words.rounded(rounded()) : ''
    if (found.refused) {
      const updated = written?.length ? words.cellsUpdated(written.length) : ''
      notifier.showFailure([this.unreadableNote(found.refused, found.values), updated, note].filter(Boolean).join(' '))
      return written !== null
    }
    if (written && found.changes.length > 1) notifier.show([words.cellsUpdated(written.length), note].join(' ').trim(), undo)
    else if (written && note) notifier.show(note, undo)
    else if (found.skipped > 0 && found.changes.length === 0) notifier.show(rights.update ? words.notEditable : rights.refusal)
    return written !== null
  }

  /**
   * The changes of the records in a range; cells of draft rows are written here. Unreadable text is shown in its cell
   * and is not among the changes.
   * @returns null if the records could not be fetched
   */
  async changesOf(range: Range, valueAt: ValueAt): Promise<RangeChanges | null> {
    const { records, columns, notifier } = this.model
    const rows = await records.range(range.top, Math.min(range.bottom, records.length - 1)).catch(notifier.showError)
    if (!rows) return null
    const found: RangeChanges = { changes: [], skipped: 0, refused: 0, values: 0 }
    for (const [down, row] of rows.entries()) {
      for (let across = 0; across <= range.right - range.left; across++) {
        const column = columns[range.left + across]?.column
        if (!isWritableColumn(column) || !this.isChangeable(row)) {
          found.skipped++
          continue
        }
        const before = valueInRow(row, column)
        this.addChange(found, row, range.top + down, column.name, before, valueAt(down, across, column, before))
      }
    }
    return found
  }

  private addChange(found: RangeChanges, { key, isDraft }: DisplayedRow, at: number, column: string, before: unknown, after: unknown) {
    const { records } = this.model
    if (after instanceof UnreadableInput) {
      records.refuse(at, { [column]: this.toRefused(after) })
      found.refused++
      return
    }
    if (after !== null) found.values++
    if (isDraft) records.setDraft(at, { [column]: after })
    else found.changes.push({ key: key!, column, before, after })
  }

  private isChangeable({ key, isDraft }: DisplayedRow): boolean {
    const { rights } = this.model
    return isDraft ? rights.create : key !== null && rights.update
  }

  /** "3 of 40 values could not be read."; empty if all could. */
  unreadableNote(refused: number, values: number): string {
    return refused ? this.words.unreadable(refused, refused + values) : ''
  }

  toRefused({ text, problem }: UnreadableInput): RefusedTexts[string] {
    return { text, reason: problemMessage(this.words.inputProblems, problem) }
  }

  /** Fills a target range by continuing a source range beside it. */
  private async fillFrom(source: Range, target: Range, isCopy = false) {
    const { records, columns, select, notifier } = this.model
    const rows = await records.range(source.top, source.bottom).catch(notifier.showError)
    if (!rows) return
    const fill = { rows, columns: columns.map(({ column }) => column), source, target, isCopy }
    const isDone = await this.write(target, continueRange(fill))
    if (!isDone) return
    select({
      active: { row: Math.min(source.top, target.top), column: Math.min(source.left, target.left) },
      head: { row: Math.max(source.bottom, target.bottom), column: Math.max(source.right, target.right) },
    })
  }
}

export const isWritableColumn = (column: GridColumn | undefined): column is GridColumn =>
  column !== undefined && isEditable(column) && cellKind(column) !== 'files'

const emptyValue = (column: GridColumn): unknown => (['multiSelect', 'manyLinks'].includes(cellKind(column)) ? [] : null)
