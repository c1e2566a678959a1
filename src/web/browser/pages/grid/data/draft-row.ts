import type { TableView } from '../../../../../tables/model'
import { ApiError } from '../../../api/api-error'
import { isGeneratedKey } from '../../record/data/column'
import { isEditable } from './cell-kinds'
import { isSameValue, type RecordValues } from './cell-values'
import type { DisplayedRow } from './record-pages'

type Create = (body: string, key: string) => Promise<RecordValues>
type Attempt = { values: RecordValues; body: string; key: string }

/**
 * The row of a record that has not been created yet. It belongs to the table, not to a list, so it stays when the list
 * is sorted or filtered.
 */
export class DraftRow {
  row: DisplayedRow | null = null
  private saving: Promise<boolean> | null = null
  /** The last request whose result is unknown. */
  private uncertain: Attempt | null = null

  get isUnsaved(): boolean {
    return this.row?.pending !== undefined
  }

  set(values: Pick<DisplayedRow, 'pending' | 'errors'> | null) {
    if (!values) this.uncertain = null
    this.row = values && { ...values, key: null, record: {}, isDraft: true }
  }

  /**
   * Creates the record. Concurrent calls share one request.
   * @param onCreated called with the record and the values entered since the request was sent
   * @returns whether everything is saved
   */
  save(create: Create, onCreated: (record: RecordValues, laterValues: RecordValues) => void, onError: (error: unknown) => void) {
    this.saving ??= this.saveNow(create, onCreated, onError).finally(() => {
      this.saving = null
    })
    return this.saving
  }

  private async saveNow(
    create: Create,
    onCreated: (record: RecordValues, laterValues: RecordValues) => void,
    onError: (error: unknown) => void,
  ) {
    if (!this.isUnsaved) return true
    try {
      const { record, values } = await this.send(create)
      const laterValues = Object.entries(this.row?.pending ?? {}).filter(([name, value]) => !isSameValue(value, values[name]))
      this.row = null
      onCreated(record, Object.fromEntries(laterValues))
      return true
    } catch (error) {
      this.set({ pending: this.row?.pending, errors: fieldErrorsOf(error) })
      onError(error)
      return false
    }
  }

  /** A request whose result is unknown is repeated unchanged with its key, so that the record is not created twice. */
  private async send(create: Create): Promise<{ record: RecordValues; values: RecordValues }> {
    const isRetry = this.uncertain !== null
    this.uncertain ??= newAttempt(this.row?.pending)
    const { values, body, key } = this.uncertain
    try {
      const record = await create(body, key)
      this.uncertain = null
      return { record, values }
    } catch (error) {
      if (!isDefinitelyNotCreated(error, isRetry)) throw error
      this.uncertain = null
      // The values entered since may fix the error.
      if (isRetry && newAttempt(this.row?.pending).body !== body) return this.send(create)
      throw error
    }
  }
}

function newAttempt(values: RecordValues = {}): Attempt {
  const body = JSON.stringify(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)))
  return { values, body, key: newIdempotencyKey() }
}

/**
 * Statuses of a retry that are sent after the idempotency key was looked up. Authentication, rate limits and overload
 * are checked before that.
 */
const finalStatusesOfRetry = [400, 409, 413, 415, 422, 500]

/** @param isRetry whether the request is a retry: then few responses prove that the record was not created */
function isDefinitelyNotCreated(error: unknown, isRetry: boolean): boolean {
  if (!(error instanceof ApiError) || error.code === 'request_in_progress' || error.code === 'idempotency_key_reused') return false
  return isRetry ? error.code !== undefined && finalStatusesOfRetry.includes(error.status) : error.status < 500
}

const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

function fieldErrorsOf(error: unknown): Record<string, string> {
  const named = error instanceof ApiError ? (error.body.errors ?? []) : []
  return Object.fromEntries(named.map(({ path = '', message }) => [path.split('/').at(-1)!, message]))
}

/** Whether every required column has a value, as far as the browser can tell. */
export function hasRequiredValues(table: TableView, values: RecordValues = {}): boolean {
  return table.columns.every(
    (column) =>
      !column.required ||
      column.default !== null ||
      !isEditable(column) ||
      isGeneratedKey(table, column.name) ||
      (values[column.name] ?? null) !== null,
  )
}
