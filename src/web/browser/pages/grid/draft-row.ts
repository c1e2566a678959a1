import type { TableView } from '../../../../tables/model'
import { Refusal } from '../../refusal'
import { isMadeKey } from '../record/column'
import { isWritten } from './kinds'
import type { Row } from './records'
import { isSame, type Values } from './values'

type Create = (body: string, key: string) => Promise<Values>

/**
 * The row of a record that is yet to be made. It belongs to the table and not to a list of its records: when the list is sorted or filtered anew, the row is
 * still there.
 */
export class DraftRow {
  row: Row | null = null
  private saving: Promise<boolean> | null = null
  private sent = { body: '', key: '' }

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
  save(create: Create, made: (record: Values, later: Values) => void, refused: (error: unknown) => void) {
    this.saving ??= this.saveNow(create, made, refused).finally(() => {
      this.saving = null
    })
    return this.saving
  }

  private async saveNow(create: Create, made: (record: Values, later: Values) => void, refused: (error: unknown) => void) {
    const sent = this.row?.pending
    if (!sent) return true
    try {
      const body = JSON.stringify(Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null)))
      // What was sent, and whose answer never came, is not made twice.
      if (body !== this.sent.body) this.sent = { body, key: newKey() }
      const record = await create(body, this.sent.key)
      this.sent = { body: '', key: '' }
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

const newKey = (): string => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

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
