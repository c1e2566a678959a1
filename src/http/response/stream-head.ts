/**
 * Answers a HEAD for a stream. Elysia would read the stream to its end, to measure it, and Bun sends the header about
 * the transfer instead of a length of 0.
 */
export const streamHead = (headers: Record<string, string>): Response =>
  new Response(null, { headers: { ...headers, 'transfer-encoding': 'chunked' } })
