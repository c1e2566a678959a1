/** The ids of the last requests by which this window has written, the oldest first. */
const requestIds = new Set<string>()
const underWay = new Set<Promise<Response>>()

/** More than a window sends while a change of its own is on its way back. */
const maxRequestIds = 200
/** How long a change waits for the responses of requests under way: it may overtake that of its own. */
const maxWaitMs = 1000

/** Remembers a request that may write, to recognise its changes. */
export async function trackWrite(method: string | undefined, request: Promise<Response>): Promise<Response> {
  if (!method || method === 'GET') return request
  underWay.add(request)
  try {
    const response = await request
    requestIds.add(response.headers.get('x-request-id') ?? '')
    if (requestIds.size > maxRequestIds) requestIds.delete([...requestIds][0]!)
    return response
  } finally {
    underWay.delete(request)
  }
}

/** Whether this window has sent these requests itself, and so shows what they did. */
export async function areOwnWrites(ids: (string | null)[]): Promise<boolean> {
  const isOwn = () => ids.every((id) => id !== null && requestIds.has(id))
  if (!isOwn()) await Promise.race([Promise.allSettled(underWay), new Promise((done) => setTimeout(done, maxWaitMs))])
  return isOwn()
}
