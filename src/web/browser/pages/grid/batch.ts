import { send } from '../../api'
import { jsonHeaders } from '../../record-address'
import { answerOf, type Values } from './values'

type Result = { etag?: string; body: Values }

export const mostInBatch = 500

/** Several writes, all or none. @throws Refusal with the number of the one that failed in `details.index` */
export async function runBatch(operations: object[]): Promise<Result[]> {
  const response = await send('/api/v1/batch', { method: 'POST', headers: jsonHeaders, body: JSON.stringify({ operations }) })
  return (await answerOf<{ results: Result[] }>(response)).results
}
