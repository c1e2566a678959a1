import { databaseFailure } from '../../db/failures'
import { Failure } from '../../errors'
import { problem } from '../../http/errors'

type Report<State> = (state: State) => void

/** Events are for people to look at: more in a second would only cost. */
const pauseMs = 200

/**
 * The work as a stream of events, one JSON object a line: `progress` as it goes, at last `result` or `problem`. The status is 200 from
 * the beginning, so the last line is what counts.
 * @param mistaken is told of what is our own mistake
 */
export function eventStream<State extends object, Result extends object>(
  requestId: string,
  work: (report: Report<State>) => Promise<Result>,
  mistaken: (error: unknown) => void,
): Response {
  const encoder = new TextEncoder()
  let lastAt = 0
  const stream = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      const tell = (event: object) => {
        try {
          controller.enqueue(encoder.encode(`${JSON.stringify(event)}\n`))
        } catch {
          // The client has left; the work hears of it by its own signal.
        }
      }
      const report = (state: State) => {
        const now = performance.now()
        if (now - lastAt < pauseMs) return
        lastAt = now
        tell({ event: 'progress', ...state })
      }
      try {
        tell({ event: 'result', ...(await work(report)) })
      } catch (error) {
        const failure = failureOf(error)
        if (failure.kind === 'internal') mistaken(error)
        tell({ event: 'problem', ...((await problem(failure, requestId).json()) as object) })
      }
      try {
        controller.close()
      } catch {}
    },
  })
  return new Response(stream, { headers: { 'content-type': 'application/x-ndjson' } })
}

const failureOf = (error: unknown): Failure =>
  error instanceof Failure ? error : (databaseFailure(error) ?? new Failure('internal', 'Something went wrong on our side.'))

/** Whether the client asked for events. */
export const wantsEvents = (request: Request): boolean => /\bapplication\/x-ndjson\b/i.test(request.headers.get('accept') ?? '')
