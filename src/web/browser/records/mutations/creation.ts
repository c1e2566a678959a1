import { ApiError } from '../../api/api-error'
import type { RecordValues } from '../values/cell-values'
import type { BatchOperation, BatchResult } from './batch'
import { maxBatchSize } from './batch'

/** An error of a creation. `row` is the index of the record; null if the error does not belong to one record. */
export type CreationFailure = { row: number | null; errors: Record<string, string> }

/** Records that are created in one transaction, together with changes of cells. */
export class Creation {
  isDone = false

  constructor(
    private readonly tableId: string,
    private readonly values: readonly RecordValues[],
    /** Called when the service cannot be reached; the request is repeated. */
    readonly onUnreachable: () => void,
  ) {}

  /** @param others the number of the other operations of the batch */
  operations(others: number): BatchOperation[] {
    if (this.isApart(others)) return this.values.map((body) => ({ method: 'POST', table: this.tableId, body }))
    return [{ method: 'POST', table: this.tableId, body: this.values }]
  }

  /** Whether each record is a separate operation, which returns its version. A batch may have no room for that. */
  private isApart = (others: number): boolean => others + this.values.length <= maxBatchSize

  /** @param results the results of `operations` */
  toResults(results: readonly (BatchResult | { body: RecordValues[] })[], others: number): BatchResult[] {
    this.isDone = true
    if (this.isApart(others)) return results as BatchResult[]
    return ((results[0] as { body: RecordValues[] } | undefined)?.body ?? []).map((body) => ({ body }))
  }

  /** The record that made a batch fail. @param others the number of operations before those of `operations` */
  toFailure(error: unknown, others: number): CreationFailure {
    if (!(error instanceof ApiError)) return { row: null, errors: {} }
    const index = Number(error.body.details?.index ?? -1) - others
    const named = error.body.errors ?? []
    const parts = (path = '') => path.replace(/^\/operations\/\d+\/body\//, '').split('/')
    const row = this.isApart(others) ? index : Number(parts(named[0]?.path)[0])
    const errors = Object.fromEntries(named.map(({ path, message }) => [unescaped(parts(path).at(-1)!), message]))
    return { row: index >= 0 && this.values[row] ? row : null, errors }
  }
}

/** A name in a JSON Pointer (RFC 6901). */
const unescaped = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')
