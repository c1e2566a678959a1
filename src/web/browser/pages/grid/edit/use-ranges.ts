import { useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { useStrings } from '../../../language'
import type { PlacedColumn } from '../../../records/list/column-layout'
import type { CellMutations } from '../../../records/mutations/cell-mutations'
import type { CellChange } from '../../../records/mutations/undo-stack'
import type { DraftRow } from '../../../records/pages/draft-row'
import type { RefusedTexts } from '../../../records/pages/pending-cells'
import type { DisplayedRow, RecordPages } from '../../../records/pages/record-pages'
import { cellKind, isEditable } from '../../../records/values/cell-kinds'
import type { GridColumn, RecordValues } from '../../../records/values/cell-values'
import { type Range, rangeOf, type Selection } from '../view/cell-selection'
import type { Notifier } from '../view/use-notice'
import { createBlockParser, parseInput, toClipboardText } from './cell-input'
import { type CopiedCells, pasteShape } from './clipboard-formats'
import { continueSeries } from './fill-series'
import { LinkNames, type MissingNames } from './link-names'
import { UnreadableInput } from './unreadable-input'

type RangesOptions = {
  table: TableView
  records: RecordPages
  mutations: CellMutations
  columns: PlacedColumn[]
  selection: Selection
  select: (selection: Selection) => void
  readOnlyReason: string
  notifier: Notifier
  undo: () => void
  createTogether: (rows: readonly DraftRow[], changes: CellChange[]) => Promise<number | null>
}

/** The maximum number of cells to paste or clear at once. */
export const maxCells = 20_000
/** More rows than these are added only after a question. */
const maxUnaskedRows = 100

type PasteShape = ReturnType<typeof pasteShape>

/** Names in the clipboard that no linked record has. */
export type MissingNamesQuestion = { missing: MissingNames[]; create: () => Promise<void>; skip: () => void }

/** `refused` counts the cells whose text cannot be read, `values` those that have one. */
type RangeChanges = { changes: CellChange[]; skipped: number; refused: number; values: number }

type ValueAt = (row: number, column: number, of: GridColumn, current: unknown) => unknown

/** Writes ranges of cells: clears, fills and pastes. */
export function useRanges(options: RangesOptions) {
  const { records, mutations, columns, selection, select, readOnlyReason, notifier, undo, createTogether } = options
  const { can } = options.table
  const { grid } = useStrings()
  const [question, setQuestion] = useState<{ rows: number; paste: () => void } | null>(null)
  const [missingNames, setMissingNames] = useState<MissingNamesQuestion | null>(null)
  const isWritable = (column: GridColumn | undefined): column is GridColumn =>
    column !== undefined && isEditable(column) && cellKind(column) !== 'files'

  /** Why a range of so many cells cannot be written; null if it can. */
  function problemOf(cells: number): string | null {
    return can.create || can.update ? (cells > maxCells ? grid.tooManyCells(maxCells) : null) : readOnlyReason
  }

  const isChangeable = ({ key, isDraft }: DisplayedRow) => (isDraft ? can.create : key !== null && can.update)

  /** Where the records end: after them, a paste adds some. */
  const recordsEnd = () => (can.create ? records.length - 1 : records.length)

  const toRefused = ({ text, problem }: UnreadableInput) => ({ text, reason: grid.inputProblems[problem] })

  /** "3 of 40 values could not be read."; empty if all could. */
  const unreadableNote = (refused: number, values: number) => (refused ? grid.unreadable(refused, refused + values) : '')

  /**
   * The changes of the records of a range; cells of draft rows are written here. What cannot be read is shown at its
   * cell and not among the changes.
   * @returns null if the records could not be fetched
   */
  async function changesOf(range: Range, valueAt: ValueAt): Promise<RangeChanges | null> {
    const rows = await records.range(range.top, Math.min(range.bottom, records.length - 1)).catch(notifier.showError)
    if (!rows) return null
    const changes: CellChange[] = []
    let [skipped, refused, drafted] = [0, 0, 0]
    for (const [down, row] of rows.entries()) {
      for (let across = 0; across <= range.right - range.left; across++) {
        const column = columns[range.left + across]?.column
        if (!isWritable(column) || !isChangeable(row)) {
          skipped++
          continue
        }
        const before = currentValue(row, column)
        const after = valueAt(down, across, column, before)
        if (after instanceof UnreadableInput) {
          records.refuse(range.top + down, { [column.name]: toRefused(after) })
          refused++
          continue
        }
        if (row.isDraft) {
          records.setDraft(range.top + down, { [column.name]: after })
          if (after !== null) drafted++
        } else changes.push({ key: row.key!, column: column.name, before, after })
      }
    }
    return { changes, skipped, refused, values: drafted + changes.filter(({ after }) => after !== null).length }
  }

  /** Writes the editable cells of a range. */
  async function writeRange(range: Range, valueAt: ValueAt, rounded = () => 0): Promise<boolean> {
    const problem = problemOf((range.bottom - range.top + 1) * (range.right - range.left + 1))
    if (problem) notifier.show(problem)
    const found = problem ? null : await changesOf(range, valueAt)
    if (!found) return false
    const written = await mutations.write(found.changes)
    const note = rounded() ? grid.rounded(rounded()) : ''
    if (found.refused) {
      const updated = written?.length ? grid.cellsUpdated(written.length) : ''
      notifier.showFailure([unreadableNote(found.refused, found.values), updated, note].filter(Boolean).join(' '))
      return written !== null
    }
    if (written && found.changes.length > 1) notifier.show([grid.cellsUpdated(written.length), note].join(' ').trim(), undo)
    else if (written && note) notifier.show(note, undo)
    else if (found.skipped > 0 && found.changes.length === 0) notifier.show(can.update ? grid.notEditable : readOnlyReason)
    return written !== null
  }

  /** Writes a target range with what continues a source range beside it. */
  async function fillFrom(source: Range, target: Range, isCopy = false) {
    const lines = await records.range(source.top, source.bottom).catch(notifier.showError)
    if (!lines) return
    const isVertical = source.left === target.left && source.right === target.right
    const isBack = target.top < source.top || target.left < source.left
    const columnAt = (number: number) => columns[number]!.column
    const series = new Map<number, ReturnType<typeof continueSeries>>()
    /** The line through a cell, in the direction of the fill. */
    const seriesThrough = (row: number, column: number) => {
      const place = isVertical ? column : row
      const sources = isVertical
        ? lines.map((line) => ({ line, from: columnAt(column) }))
        : columns.slice(source.left, source.right + 1).map((placed) => ({ line: lines[row - source.top]!, from: placed.column }))
      const cells = sources.map(({ line, from }) => ({ value: currentValue(line, from), from }))
      if (isBack) cells.reverse()
      const kind = cellKind(columnAt(column))
      const isSeries = !isCopy && cells.every(({ from }) => cellKind(from) === kind)
      const next = series.get(place) ?? continueSeries(cells, isSeries ? kind : 'text')
      series.set(place, next)
      return next
    }
    const isDone = await writeRange(target, (down, across, column) => {
      const [row, at] = [target.top + down, target.left + across]
      const forward = isVertical ? row - source.bottom : at - source.right
      const backward = isVertical ? source.top - row : source.left - at
      const { value, from } = seriesThrough(row, at)((isBack ? backward : forward) - 1)
      return from.type === column.type ? value : parseInput(toClipboardText(value, from), column)
    })
    if (!isDone) return
    const top = Math.min(source.top, target.top)
    select({
      active: { row: top, column: Math.min(source.left, target.left) },
      head: { row: Math.max(source.bottom, target.bottom), column: Math.max(source.right, target.right) },
    })
  }

  const fill = (target: Range) => void fillFrom(rangeOf(selection), target)

  const fillSelection = (direction: 'down' | 'right') => {
    const range = rangeOf(selection)
    const isDown = direction === 'down'
    const first = isDown ? range.top : range.left
    const isSingle = first === (isDown ? range.bottom : range.right)
    if (isSingle && first === 0) return
    const from = isSingle ? first - 1 : first
    const source = isDown ? { ...range, top: from, bottom: from } : { ...range, left: from, right: from }
    const target = isDown ? { ...range, top: from + 1 } : { ...range, left: from + 1 }
    void fillFrom(source, target, true)
  }

  const clear = () => {
    const { active } = selection
    if (active.row >= 0 && active.column >= 0) void writeRange(rangeOf(selection), (_row, _column, column) => emptyValue(column))
  }

  /**
   * A single value fills the whole range. A block is pasted at its top left corner and adds the records that are
   * missing.
   */
  const paste = (copied: CopiedCells) => {
    const { block } = copied
    const range = rangeOf(selection)
    const shape = pasteShape(block, range, { rows: recordsEnd() + 1, columns: columns.length })
    const problem = problemOf(shape.isOne ? 1 : block.length * (shape.right - shape.left + 1))
    if (problem) return notifier.show(problem)
    const run = () => void pasteNamed(copied, range, shape)
    if (can.create && shape.added.length > maxUnaskedRows && !shape.isOne) setQuestion({ rows: shape.added.length, paste: run })
    else run()
  }

  /** Looks up the names of linked records first, and asks before it creates records for those that are missing. */
  async function pasteNamed(copied: CopiedCells, range: Range, shape: PasteShape) {
    const { block, links } = copied
    const right = shape.isOne ? range.right : shape.right
    const pasted = columns.slice(shape.left, right + 1).map(({ column }) => column)
    const cells = block.flatMap((line, down) =>
      pasted.flatMap((column, across) => {
        const text = (shape.isOne ? line[0] : line[across]) ?? ''
        return isWritable(column) && text.trim() !== '' && !links[down]?.[across] ? [{ text, column }] : []
      }),
    )
    const names = await LinkNames.find(cells).catch(notifier.showError)
    if (!names) return
    const run = () => {
      const parser = createBlockParser((text, column) => names.toValue(text, column))
      const { parse, rounded } = parser
      if (shape.isOne) void writeRange(range, (_row, _column, column) => parse(block[0]![0]!, column, links[0]?.[0]), rounded)
      else void pasteBlock(copied, shape, parser)
    }
    const missing = names.missing()
    if (missing.length === 0) return run()
    const create = () => names.create(missing).then(run, notifier.showError)
    const skip = () => {
      names.leaveOut(missing)
      run()
    }
    setMissingNames({ missing, create, skip })
  }

  async function pasteBlock({ block, links }: CopiedCells, shape: PasteShape, { parse, rounded }: ReturnType<typeof createBlockParser>) {
    const [{ left, right }, place] = [shape, (row: number) => ({ row, column: shape.left })]
    const added: { pending: RecordValues; refused: RefusedTexts }[] = []
    for (const line of can.create ? shape.added : []) {
      const pending: RecordValues = {}
      const refused: RefusedTexts = {}
      for (let across = left; across <= right; across++) {
        const column = columns[across]?.column
        const text = block[line]?.[across - left] ?? ''
        if (!isWritable(column) || text === '') continue
        const value = parse(text, column, links[line]?.[across - left])
        if (value instanceof UnreadableInput) refused[column.name] = toRefused(value)
        else pending[column.name] = value
      }
      if (Object.keys({ ...pending, ...refused }).length) added.push({ pending, refused })
    }
    const last = Math.min(shape.top + block.length, recordsEnd()) - 1
    const found =
      last < shape.top
        ? { changes: [], skipped: 0, refused: 0, values: 0 }
        : await changesOf({ ...shape, bottom: last }, (down, across, column) =>
            parse(block[down]?.[across] ?? '', column, links[down]?.[across]),
          )
    if (!found) return
    const rows = records.drafts.add(added)
    records.notify()
    select({ active: place(shape.top), head: { row: Math.max(shape.top, last + added.length), column: right } })
    const count = (all: object[]) => all.reduce((sum, each) => sum + Object.keys(each).length, 0)
    const refusedInAdded = count(added.map(({ refused }) => refused))
    // New rows are created together: they wait until every text in them is mended.
    const isWaiting = refusedInAdded > 0
    const created = isWaiting ? 0 : rows.length
    const written = created ? await createTogether(rows, found.changes) : ((await mutations.write(found.changes))?.length ?? null)
    if (written === null) return
    const locked = columns.slice(left, right + 1).filter(({ column }) => !isWritable(column))
    const refused = found.refused + refusedInAdded
    const messages = [
      unreadableNote(refused, found.values + count(added.map(({ pending }) => pending))),
      isWaiting ? grid.recordsWaiting(rows.length) : '',
      written > 0 ? grid.cellsUpdated(written) : '',
      created ? grid.recordsCreated(created) : '',
      rounded() ? grid.rounded(rounded()) : '',
      shape.lost > 0 ? grid.columnsSkipped(shape.lost) : '',
      !can.create && shape.added.length > 0 ? grid.rowsSkipped(shape.added.length) : '',
      !can.update && found.skipped > 0 ? readOnlyReason : '',
      locked.length ? grid.columnsLocked(locked.map(({ column }) => column.name)) : '',
    ]
    const text = messages.filter(Boolean).join(' ')
    if (refused) notifier.showFailure(text)
    else notifier.show(text, created && !can.delete ? undefined : undo)
  }

  return {
    clear,
    fill,
    fillSelection,
    paste,
    question,
    closeQuestion: () => setQuestion(null),
    missingNames,
    closeMissingNames: () => setMissingNames(null),
  }
}

const currentValue = (row: DisplayedRow, { name }: GridColumn): unknown =>
  row.pending && name in row.pending ? row.pending[name] : row.record[name]

const emptyValue = (column: GridColumn): unknown => (['multiSelect', 'manyLinks'].includes(cellKind(column)) ? [] : null)
