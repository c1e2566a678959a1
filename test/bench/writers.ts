import { call, type Service } from '../support/executable'
import { percentiles } from './percentiles'

export type WriteFigures = { perSecond: number; acknowledged: number; longestPauseMs: number } & ReturnType<typeof percentiles>

/** Four writers, for as long as `work` takes. */
export async function writes({ url }: Service, token: string, work: () => Promise<void>): Promise<WriteFigures> {
  const durations: number[] = []
  let isWanted = true
  const startedAt = performance.now()
  let [acknowledged, acknowledgedAt, longestPauseMs] = [0, startedAt, 0]
  const writers = Array.from({ length: 4 }, async () => {
    while (isWanted) {
      const sentAt = performance.now()
      const answer = await call(`${url}/api/v1/tables/items/records`, { token, body: { number: 0, note: 'x' } })
      await answer.arrayBuffer()
      const now = performance.now()
      durations.push(now - sentAt)
      if (answer.status !== 201) continue
      acknowledged++
      longestPauseMs = Math.max(longestPauseMs, now - acknowledgedAt)
      acknowledgedAt = now
    }
  })
  await work()
  isWanted = false
  await Promise.all(writers)
  const perSecond = Math.round(durations.length / ((performance.now() - startedAt) / 1000))
  return { perSecond, acknowledged, longestPauseMs, ...percentiles(durations) }
}
