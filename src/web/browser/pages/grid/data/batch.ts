import { Refusal } from '../../../api/api-error'
import { send } from '../../../api/client'
import { jsonHeaders } from '../../../api/urls'
import { answerOf, type Values } from './cell-values'

export type Result = { etag?: string; body: Values }

export type Operation = {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  table: string
  pk?: string
  ifMatch?: string
  ifNoneMatch?: '*'
  body?: Values
}

export const mostInBatch = 500

/** Several writes, all or none. @throws Refusal with the key of the record that failed in `details.pk` */
export async function runBatch(operations: Operation[]): Promise<Result[]> {
  const response = await send('/api/v1/batch', { method: 'POST', headers: jsonHeaders, body: JSON.stringify({ operations }) })
  try {
    return (await answerOf<{ results: Result[] }>(response)).results
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { status, body, retryAfterS } = error
    const pk = operations[Number(body.details?.index ?? -1)]?.pk
    throw new Refusal(status, { ...body, details: { ...body.details, pk } }, retryAfterS)
  }
}
