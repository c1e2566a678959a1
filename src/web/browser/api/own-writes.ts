/** The ids of this window's latest write requests, the oldest first. */
const requestIds = new Set<string>()
const underWay = new Set<Promise<Response>>()

/** More than the requests that a window sends before it receives the change made by one of them. */
const maxRequestIds = 200
/** How long a change waits for pending responses: it may arrive before the response of the request that made it. */
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

/** Whether this window has sent all of these requests, so that it shows their effects already. */
export async function areOwnWrites(ids: (string | null)[]): Promise<boolean> {
  const isOwn = () => ids.every((id) => id !== null && requestIds.has(id))
  if (!isOwn()) await Promise.race([Promise.allSettled(underWay), new Promise((done) => setTimeout(done, maxWaitMs))])
  return isOwn()
}
