import { ApiError } from '../../api/api-error'
import { send } from '../../api/client'
import { jsonHeaders } from '../../api/urls'
import { parseExact } from '../../values/exact-json'
import { type RecordValues, readJson } from '../values/cell-values'
import type { WriteResult } from '../values/record-queries'

export type BatchResult = { etag?: string; body: RecordValues }

export type BatchOperation = {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  table: string
  pk?: string
  ifMatch?: string
  ifNoneMatch?: '*'
  body?: RecordValues | readonly RecordValues[]
}

export const maxBatchSize = 500

/** Receives the id of a successful request, by which the log can undo it. */
export type OnAnswer = (requestId: string | null) => void

/**
 * Several writes in one transaction.
 * @param key the idempotency key, for writes that must not be repeated
 * @throws ApiError with the key of the failed record in `details.pk`
 */
export async function sendBatch(operations: BatchOperation[], key?: string, onAnswer: OnAnswer = () => {}): Promise<BatchResult[]> {
  const headers = { ...jsonHeaders, ...(key ? { 'idempotency-key': key } : {}) }
  const response = await send('/api/v1/batch', { method: 'POST', headers, body: JSON.stringify({ operations }) })
  if (response.ok) onAnswer(response.headers.get('x-request-id'))
  try {
    return (await readJson<{ results: BatchResult[] }>(response)).results
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status, body, retryAfterS } = error
    const pk = operations[Number(body.details?.index ?? -1)]?.pk
    throw new ApiError(status, { ...body, details: { ...body.details, pk } }, retryAfterS)
  }
}

/**
 * Writes one record by a request that may be repeated, since its response may be lost.
 * @param body JSON text
 * @throws ApiError
 */
export async function writeOnce(operation: BatchOperation, body: string, key: string): Promise<WriteResult> {
  let requestId: string | null = null
  const [result] = await sendBatch([{ ...operation, body: parseExact(body) as RecordValues }], key, (id) => {
    requestId = id
  })
  return { record: result!.body, etag: result!.etag ?? '', requestId }
}
