import type { TableView } from '../../../../tables/model'
import { Refusal } from '../../refusal'
import { isMadeKey } from '../record/column'
import { isWritten } from './kinds'
import type { Row } from './records'
import { isSame, type Values } from './values'

/**
 * The row of a record that is yet to be made. It belongs to the table and not to a list of its records: when the list is sorted or filtered anew, the row is
 * still there.
 */
export class DraftRow {
  row: Row | null = null
  private saving: Promise<boolean> | null = null

  get isUnsaved(): boolean {
    return this.row?.pending !== undefined
  }

  set(values: Pick<Row, 'pending' | 'problems'> | null) {
    this.row = values && { ...values, key: null, record: {}, isDraft: true }
  }

  /**
   * Makes the record, once however often it is asked for.
   * @param made told of the record, and of what was typed while it was being made
   * @returns whether nothing is left to be saved
   */
  save(create: (values: Values) => Promise<Values>, made: (record: Values, later: Values) => void, refused: (error: unknown) => void) {
    this.saving ??= this.saveNow(create, made, refused).finally(() => {
      this.saving = null
    })
    return this.saving
  }

  private async saveNow(
    create: (values: Values) => Promise<Values>,
    made: (record: Values, later: Values) => void,
    refused: (error: unknown) => void,
  ) {
    const sent = this.row?.pending
    if (!sent) return true
    try {
      const record = await create(Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null)))
      const later = Object.entries(this.row?.pending ?? {}).filter(([name, value]) => !isSame(value, sent[name]))
      this.row = null
      made(record, Object.fromEntries(later))
      return true
    } catch (error) {
      this.set({ pending: this.row?.pending, problems: problemsOf(error) })
      refused(error)
      return false
    }
  }
}

function problemsOf(error: unknown): Record<string, string> {
  const named = error instanceof Refusal ? (error.body.errors ?? []) : []
  return Object.fromEntries(named.map(({ path = '', message }) => [path.split('/').at(-1)!, message]))
}

/** Whether every column has a value that has to have one, as far as it is known here. */
export function isComplete(table: TableView, values: Values = {}): boolean {
  return table.columns.every(
    (column) =>
      !column.required ||
      column.default !== null ||
      !isWritten(column) ||
      isMadeKey(table, column.name) ||
      (values[column.name] ?? null) !== null,
  )
}
