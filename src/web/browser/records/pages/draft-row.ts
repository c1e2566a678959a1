import type { TableView } from '../../../../tables/model'
import { ApiError } from '../../api/api-error'
import { isUnreachable } from '../../api/reachability'
import { type CellKind, cellKind, isEditable } from '../values/cell-kinds'
import { isSameValue, type RecordValues } from '../values/cell-values'
import { isGeneratedKey } from '../values/column'
import type { DisplayedRow } from './record-pages'

type DraftValues = Pick<DisplayedRow, 'pending' | 'errors' | 'refused'>
type Create = (body: string, key: string) => Promise<RecordValues>
type Attempt = { values: RecordValues; body: string; key: string }

const emptyRow: DisplayedRow = { key: null, record: {}, isDraft: true }

/** The row of a record that has not been created yet. */
export class DraftRow {
  row: DisplayedRow = emptyRow
  /** Whether the service has refused the row in its current state: sending it again would not help. */
  isRefused = false
  /** The rows that are created together with this one, or not at all. */
  group: readonly DraftRow[] = [this]
  /** Whether its empty cells stay empty, even if their columns have defaults. */
  isCopy = false
  private saving: Promise<boolean> | null = null
  /** The last request whose result is unknown. */
  private uncertain: Attempt | null = null

  /** @param preset the initial values, which a row gets once the user enters another value */
  constructor(private readonly preset: RecordValues = {}) {}

  /** Whether the row has a value other than the preset, or a text that is not a valid value yet. */
  get isUnsaved(): boolean {
    const own = Object.entries(this.row.pending ?? {}).filter(([name, value]) => !isBlank(value) && value !== this.preset[name])
    return this.refusedCount > 0 || own.length > 0
  }

  /** The number of texts that are not valid values: the record is created when they are corrected. */
  get refusedCount(): number {
    return Object.keys(this.row.refused ?? {}).length
  }

  /** The values to create the record with. The service fills in columns that are not sent. */
  get valuesToCreate(): RecordValues {
    const entries = Object.entries(this.row.pending ?? {})
    return Object.fromEntries(this.isCopy ? entries : entries.filter(([, value]) => value !== null))
  }

  set(values: DraftValues | null) {
    if (!values) this.uncertain = null
    this.isRefused = Object.keys(values?.refused ?? {}).length > 0
    const pending = { ...this.preset, ...values?.pending }
    this.row = values ? { ...values, pending, key: null, record: {}, isDraft: true } : { ...emptyRow }
  }

  /** Shows why the record was not created. @param errors messages by column */
  refuse(errors: Record<string, string>) {
    this.row = { ...this.row, errors }
    this.isRefused = true
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

  /** Waits for a save together with other rows. @param saving whether the rows are saved */
  join(saving: Promise<boolean>) {
    this.saving = saving.finally(() => {
      this.saving = null
    })
  }

  /** Marks the row while the service cannot be reached. */
  setUnsent() {
    this.row = { ...this.row, isUnsent: true }
  }

  get isSaving(): boolean {
    return this.saving !== null
  }

  private async saveNow(
    create: Create,
    onCreated: (record: RecordValues, laterValues: RecordValues) => void,
    onError: (error: unknown) => void,
  ) {
    if (!this.isUnsaved) return true
    try {
      const { record, values } = await this.send(create)
      const laterValues = Object.entries(this.row.pending ?? {}).filter(([name, value]) => !isSameValue(value, values[name]))
      this.set(null)
      onCreated(record, Object.fromEntries(laterValues))
      return true
    } catch (error) {
      if (isUnreachable(error)) this.setUnsent()
      else this.refuse(fieldErrorsOf(error))
      onError(error)
      return false
    }
  }

  /** A request whose result is unknown is repeated unchanged with its key, so that the record is not created twice. */
  private async send(create: Create): Promise<{ record: RecordValues; values: RecordValues }> {
    const isRetry = this.uncertain !== null
    this.uncertain ??= this.newAttempt()
    const { values, body, key } = this.uncertain
    try {
      const record = await create(body, key)
      this.uncertain = null
      return { record, values }
    } catch (error) {
      if (!isDefinitelyNotCreated(error, isRetry)) throw error
      this.uncertain = null
      // The values entered since may fix the error.
      if (isRetry && this.newAttempt().body !== body) return this.send(create)
      throw error
    }
  }

  private newAttempt(): Attempt {
    return { values: this.row.pending ?? {}, body: JSON.stringify(this.valuesToCreate), key: newIdempotencyKey() }
  }
}

const isBlank = (value: unknown) => value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/**
 * Statuses with which the service answers a retry after looking up the idempotency key. It checks authentication, rate
 * limits and overload before that.
 */
const finalStatusesOfRetry = [400, 409, 413, 415, 422, 500]

/** @param isRetry whether the request is a retry: then few responses prove that the record was not created */
function isDefinitelyNotCreated(error: unknown, isRetry: boolean): boolean {
  if (!(error instanceof ApiError) || error.code === 'request_in_progress' || error.code === 'idempotency_key_reused') return false
  return isRetry ? error.code !== undefined && finalStatusesOfRetry.includes(error.status) : error.status < 500
}

export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

function fieldErrorsOf(error: unknown): Record<string, string> {
  const named = error instanceof ApiError ? (error.body.errors ?? []) : []
  return Object.fromEntries(named.map(({ path = '', message }) => [path.split('/').at(-1)!, message]))
}

/** Kinds that hold an empty list instead of null. */
const listKinds: CellKind[] = ['files', 'multiSelect', 'manyLinks']

/** The required columns without a value, as far as the browser can tell. */
export function missingColumns(table: TableView, { pending = {}, refused = {} }: DraftValues): string[] {
  return table.columns
    .filter(
      (column) =>
        column.required &&
        column.default === null &&
        isEditable(column) &&
        !listKinds.includes(cellKind(column)) &&
        !isGeneratedKey(table, column.name) &&
        !(column.name in refused) &&
        isBlank(pending[column.name]),
    )
    .map(({ name }) => name)
}
