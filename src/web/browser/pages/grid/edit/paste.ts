import type { CellChange } from '../../../records/mutations/undo-stack'
import type { DraftRow } from '../../../records/pages/draft-row'
import type { RefusedTexts } from '../../../records/pages/pending-cells'
import type { RecordValues } from '../../../records/values/cell-values'
import { UnreadableInput } from '../../../values/unreadable-input'
import type { Range } from '../model/cell-selection'
import { copiedKeys, createBlockParser } from './cell-input'
import { type CopiedCells, pasteShape } from './clipboard-formats'
import { LinkNames, type MissingNames } from './link-names'
import { isWritableColumn, type RangeChanges, type RangeEdits } from './range-edits'

/** More rows than this are added only after a confirmation. */
const maxUnaskedRows = 100

/** The question whether to add many records. */
export type PasteQuestion = { rows: number; paste: () => void }

/** Names in the clipboard that no linked record has. */
export type MissingNamesQuestion = { missing: MissingNames[]; create: () => Promise<void>; skip: () => void }

type PasteOptions = {
  createTogether: (rows: readonly DraftRow[], changes: CellChange[]) => Promise<number | null>
  ask: (question: PasteQuestion) => void
  askForNames: (question: MissingNamesQuestion) => void
}

type BlockParser = ReturnType<typeof createBlockParser>

/** A record to add. */
type AddedRow = { pending: RecordValues; refused: RefusedTexts }

/**
 * Copied cells that are pasted into the selection. A single value fills the whole range. A block is pasted at the top
 * left corner and adds the records that are missing.
 */
export class Paste {
  private range: Range
  private shape: ReturnType<typeof pasteShape>
  /** The keys of the records that the paste changes, from the top; null for a record that is not loaded. */
  private readonly keys: (string | null)[]
  /** The value of `recordsEnd` when the paste began, if it began at a draft row or after all rows. */
  private readonly end: number | null

  constructor(
    private readonly edits: RangeEdits,
    private readonly copied: CopiedCells,
    private readonly options: PasteOptions,
  ) {
    this.range = edits.selected
    this.shape = pasteShape(copied.block, this.range, { rows: this.recordsEnd() + 1, columns: edits.model.columns.length })
    const { top, isOne } = this.shape
    const height = isOne ? this.range.bottom - top + 1 : copied.block.length
    const { records } = edits.model
    const rows = Math.max(0, Math.min(height, this.recordsEnd() - top))
    this.keys = Array.from({ length: rows }, (_, down) => records.rowAt(top + down)?.key ?? null)
    this.end = rows === 0 || records.rowAt(top)?.isDraft ? this.recordsEnd() : null
  }

  start() {
    const { notifier, rights } = this.edits.model
    const { isOne, left, right, added } = this.shape
    const problem = this.edits.problemOf(isOne ? 1 : this.copied.block.length * (right - left + 1))
    if (problem) return notifier.show(problem)
    const paste = () => void this.findNames()
    if (rights.create && added.length > maxUnaskedRows && !isOne) this.options.ask({ rows: added.length, paste })
    else paste()
  }

  /** The index of the row for typing, or of the end without one: a paste adds records from there on. */
  private recordsEnd(): number {
    const { records, rights } = this.edits.model
    return rights.create ? records.length - 1 : records.length
  }

  /**
   * Follows the selected records, which others may have moved while names were looked up or a question was open.
   * @returns false if they are not adjacent any more
   */
  private follow(): boolean {
    const { records } = this.edits.model
    const { top } = this.shape
    const down = this.keys.findIndex((key) => key !== null)
    const first = this.keys[down]
    const shift = this.end === null ? 0 : this.recordsEnd() - this.end
    const now = first ? records.indexOf(first) - down : top + shift
    if (this.keys.some((key, index) => key !== null && records.rowAt(now + index)?.key !== key)) return false
    this.range = { ...this.range, top: now, bottom: this.range.bottom + now - top }
    this.shape = { ...this.shape, top: now }
    return true
  }

  /** Looks up the names of linked records first, and asks before it creates records for missing names. */
  private async findNames() {
    const { columns, notifier } = this.edits.model
    const { block, links } = this.copied
    const { isOne, left, right } = this.shape
    const pasted = columns.slice(left, (isOne ? this.range.right : right) + 1).map(({ column }) => column)
    const cells = block.flatMap((line, down) =>
      pasted.flatMap((column, across) => {
        const from = isOne ? 0 : across
        const text = line[from] ?? ''
        const isNamed = isWritableColumn(column) && text.trim() !== '' && !copiedKeys(links[down]?.[from], column)
        return isNamed ? [{ text, column }] : []
      }),
    )
    const names = await LinkNames.find(cells).catch(notifier.showError)
    if (!names) return
    const write = () => this.write(createBlockParser((text, column) => names.toValue(text, column)))
    const missing = names.missing()
    if (missing.length === 0) return write()
    const create = () => names.create(missing).then(write, notifier.showError)
    const skip = () => {
      names.leaveOut(missing)
      write()
    }
    this.options.askForNames({ missing, create, skip })
  }

  private write(parser: BlockParser) {
    const { block, links } = this.copied
    const { parse, rounded } = parser
    if (!this.follow()) return this.edits.model.notifier.show(this.edits.words.rowsMoved)
    if (!this.shape.isOne) void this.writeBlock(parser)
    else void this.edits.write(this.range, (_row, _column, column) => parse(block[0]![0]!, column, links[0]?.[0]), rounded)
  }

  private async writeBlock(parser: BlockParser) {
    const { records, mutations, select } = this.edits.model
    const { top, left, right } = this.shape
    const added = this.addedRows(parser)
    const last = top + this.keys.length - 1
    const found = await this.changesUntil(last, parser)
    if (!found) return
    const rows = records.drafts.add(added)
    records.notify()
    select({ active: { row: top, column: left }, head: { row: Math.max(top, last + added.length), column: right } })
    // New rows are created together: they wait until every text in them is corrected.
    const isWaiting = added.some(({ refused }) => Object.keys(refused).length > 0)
    const written =
      rows.length && !isWaiting
        ? await this.options.createTogether(rows, found.changes)
        : ((await mutations.write(found.changes))?.length ?? null)
    if (written !== null) this.report(written, found, added, isWaiting, parser.rounded())
  }

  /** The lines of the block that become new records. */
  private addedRows({ parse }: BlockParser): AddedRow[] {
    const { columns, rights } = this.edits.model
    const { block, links } = this.copied
    const { left, right, added } = this.shape
    const rows: AddedRow[] = []
    for (const line of rights.create ? added : []) {
      const [pending, refused]: [RecordValues, RefusedTexts] = [{}, {}]
      for (let across = left; across <= right; across++) {
        const column = columns[across]?.column
        const text = block[line]?.[across - left] ?? ''
        if (!isWritableColumn(column) || text === '') continue
        const value = parse(text, column, links[line]?.[across - left])
        if (value instanceof UnreadableInput) refused[column.name] = this.edits.toRefused(value)
        else pending[column.name] = value
      }
      if (Object.keys({ ...pending, ...refused }).length) rows.push({ pending, refused })
    }
    return rows
  }

  /** The changes of the records up to a row. */
  private async changesUntil(last: number, { parse }: BlockParser): Promise<RangeChanges | null> {
    const { block, links } = this.copied
    if (last < this.shape.top) return { changes: [], skipped: 0, refused: 0, values: 0 }
    return this.edits.changesOf({ ...this.shape, bottom: last }, (down, across, column) =>
      parse(block[down]?.[across] ?? '', column, links[down]?.[across]),
    )
  }

  private report(written: number, found: RangeChanges, added: readonly AddedRow[], isWaiting: boolean, rounded: number) {
    const { edits, shape } = this
    const { columns, notifier, rights } = edits.model
    const { words } = edits
    const count = (all: object[]) => all.reduce<number>((sum, each) => sum + Object.keys(each).length, 0)
    const refused = found.refused + count(added.map((row) => row.refused))
    const created = isWaiting ? 0 : added.length
    const locked = columns.slice(shape.left, shape.right + 1).filter(({ column }) => !isWritableColumn(column))
    const text = [
      edits.unreadableNote(refused, found.values + count(added.map(({ pending }) => pending))),
      isWaiting ? words.recordsWaiting(added.length) : '',
      written > 0 ? words.cellsUpdated(written) : '',
      created ? words.recordsCreated(created) : '',
      rounded ? words.rounded(rounded) : '',
      shape.lost > 0 ? words.columnsSkipped(shape.lost) : '',
      !rights.create && shape.added.length > 0 ? words.rowsSkipped(shape.added.length) : '',
      !rights.update && found.skipped > 0 ? rights.refusal : '',
      locked.length ? words.columnsLocked(locked.map(({ column }) => column.name)) : '',
    ]
      .filter(Boolean)
      .join(' ')
    if (refused) notifier.showFailure(text)
    else notifier.show(text, created && !rights.delete ? undefined : edits.undo)
  }
}
