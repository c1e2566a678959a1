/** The ids of the last requests by which this window has written, the oldest first. */
const requestIds = new Set<string>()

/** More than a window sends while a change of its own is on its way back. */
const maxRequestIds = 200

/** Remembers a request that may have written, to recognise its changes. */
export function noteWrite(method: string | undefined, { headers }: Response) {
  const id = headers.get('x-request-id')
  if (!id || !method || method === 'GET') return
  requestIds.add(id)
  if (requestIds.size > maxRequestIds) for (const first of requestIds) return void requestIds.delete(first)
}

/** Whether this window has sent the request of a change, and shows what it did. */
export const isOwnWrite = (requestId: string | null): boolean => requestId !== null && requestIds.has(requestId)
