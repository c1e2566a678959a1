import { expect } from 'bun:test'

export type StreamEvent = { id: string; event: string; data: Record<string, unknown> }

/** A reader of server-sent events: `take` waits for a number of events, `ended` for the end of the stream. */
export async function openEventStream(url: string, { token, lastId }: { token: string; lastId?: string }) {
  const ending = new AbortController()
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...(lastId ? { 'last-event-id': lastId } : {}) }
  const response = await fetch(url, { headers, signal: ending.signal })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let [rest, position] = ['', '']
  const events: StreamEvent[] = []
  const readMore = async (): Promise<boolean> => {
    const { value, done } = await reader.read()
    if (done) return false
    const blocks = (rest + value).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      const of = (name: string) =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      position = of('id') ?? position
      if (of('data')) events.push({ id: position, event: of('event')!, data: JSON.parse(of('data')!) })
    }
    return true
  }
  while (position === '') await readMore()
  return {
    take: async (count: number): Promise<StreamEvent[]> => {
      while (events.length < count) if (!(await readMore())) throw new Error(`The stream ended behind ${events.length} events.`)
      return events.splice(0, count)
    },
    ended: async (): Promise<StreamEvent[]> => {
      while (await readMore());
      return events.splice(0)
    },
    /** The last id that the stream has sent. */
    position: () => position,
    stop: () => ending.abort(),
  }
}
