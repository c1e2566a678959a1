import type { RecordValues } from '../values/cell-values'
import { DraftRow } from './draft-row'
import type { RefusedTexts } from './pending-cells'

/**
 * The rows at the end of the grid that are not records yet. The last one is empty, for typing. They belong to the
 * table, not to a list, so they stay when the list is sorted or filtered.
 */
export class DraftRows {
  rows: DraftRow[]

  /**
   * @param isOffered whether the user may create records
   * @param preset as for `DraftRow`
   */
  constructor(
    private readonly isOffered: boolean,
    private readonly preset: RecordValues = {},
  ) {
    this.rows = isOffered ? [new DraftRow(preset)] : []
  }

  get isUnsaved(): boolean {
    return this.rows.some((row) => row.isUnsaved)
  }

  /** Sets the values and errors of a row. When the last row gets its first value, another empty row follows it. */
  set(index: number, values: Parameters<DraftRow['set']>[0]) {
    this.rows[index]?.set(values)
    if (this.rows.at(-1)?.isUnsaved) this.rows = [...this.rows, new DraftRow(this.preset)]
  }

  /** Sets values of a row and removes their messages. */
  merge(index: number, values: RecordValues) {
    const { pending, errors = {}, refused = {} } = this.rows[index]?.row ?? {}
    const others = <T>(all: Record<string, T>) => Object.fromEntries(Object.entries(all).filter(([name]) => !(name in values)))
    this.set(index, { pending: { ...pending, ...values }, errors: others(errors), refused: others(refused) })
  }

  /** Shows messages at cells. A complete row is sent nevertheless. */
  mark(index: number, messages: Record<string, string>) {
    const { pending, errors, refused } = this.rows[index]?.row ?? {}
    this.set(index, { pending, errors: { ...errors, ...messages }, refused })
  }

  /** Shows texts that are not valid values in a row. */
  refuse(index: number, texts: RefusedTexts) {
    const { pending, errors, refused } = this.rows[index]?.row ?? {}
    this.set(index, { pending, errors, refused: { ...refused, ...texts } })
  }

  /**
   * Adds rows before the last one, which are created together.
   * @param options `areCopies` for copies of records
   * @returns the added rows
   */
  add(values: readonly { pending: RecordValues; refused?: RefusedTexts }[], { areCopies = false } = {}): DraftRow[] {
    const added = values.map((each) => {
      const row = new DraftRow(this.preset)
      row.isCopy = areCopies
      row.set(each)
      return row
    })
    for (const row of added) row.group = added
    this.rows = [...this.rows.slice(0, -1), ...added, ...this.rows.slice(-1)]
    return added
  }

  remove(rows: readonly DraftRow[]) {
    const gone = new Set(rows)
    this.rows = this.rows.filter((row) => !gone.has(row))
    if (this.isOffered && !(this.rows.length && !this.rows.at(-1)!.isUnsaved)) this.rows = [...this.rows, new DraftRow(this.preset)]
  }

  /**
   * Removes rows whose values were all cleared, except the last row and one that is in use.
   * @returns whether there were any
   */
  removeBlank(inUse: DraftRow | null): boolean {
    const blank = this.rows.slice(0, -1).filter((row) => !row.isUnsaved && !row.isSaving && row !== inUse)
    if (blank.length) this.remove(blank)
    return blank.length > 0
  }
}
