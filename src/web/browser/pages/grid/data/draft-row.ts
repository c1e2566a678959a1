import type { TableView } from '../../../../../tables/model'
import { Refusal } from '../../../api/api-error'
import { isMadeKey } from '../../record/data/column'
import { isWritten } from './cell-kinds'
import { isSame, type Values } from './cell-values'
import type { Row } from './record-pages'

type Create = (body: string, key: string) => Promise<Values>
type Attempt = { values: Values; body: string; key: string }

/**
 * The row of a record that is yet to be made. It belongs to the table and not to a list of its records: when the list is sorted or filtered anew, the row is
 * still there.
 */
export class DraftRow {
  row: Row | null = null
  private saving: Promise<boolean> | null = null
  /** What was sent and may have been done, for all that is known. */
  private unanswered: Attempt | null = null

  get isUnsaved(): boolean {
    return this.row?.pending !== undefined
  }

  set(values: Pick<Row, 'pending' | 'problems'> | null) {
    if (!values) this.unanswered = null
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
    if (!this.isUnsaved) return true
    try {
      const { record, values } = await this.send(create)
      const later = Object.entries(this.row?.pending ?? {}).filter(([name, value]) => !isSame(value, values[name]))
      this.row = null
      made(record, Object.fromEntries(later))
      return true
    } catch (error) {
      this.set({ pending: this.row?.pending, problems: problemsOf(error) })
      refused(error)
      return false
    }
  }

  /** What may have been done already is sent as it was, so that it is not made twice, whatever has been typed since. */
  private async send(create: Create): Promise<{ record: Values; values: Values }> {
    const isAgain = this.unanswered !== null
    this.unanswered ??= attempt(this.row?.pending)
    const { values, body, key } = this.unanswered
    try {
      const record = await create(body, key)
      this.unanswered = null
      return { record, values }
    } catch (error) {
      if (!isSurelyNotMade(error, isAgain)) throw error
      this.unanswered = null
      // What has been typed since may mend what it was refused for.
      if (isAgain && attempt(this.row?.pending).body !== body) return this.send(create)
      throw error
    }
  }
}

function attempt(values: Values = {}): Attempt {
  const body = JSON.stringify(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)))
  return { values, body, key: newKey() }
}

/** Of a request that was sent before: answers that come after its key was looked up. Sign-in, limits and a busy service come before that. */
const answersToAgain = [400, 409, 413, 415, 422, 500]

/** @param isAgain whether the same was sent before: few answers say that it was not made then */
function isSurelyNotMade(error: unknown, isAgain: boolean): boolean {
  if (!(error instanceof Refusal) || error.code === 'request_in_progress' || error.code === 'idempotency_key_reused') return false
  return isAgain ? error.code !== undefined && answersToAgain.includes(error.status) : error.status < 500
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
