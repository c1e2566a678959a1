import { expect, test } from 'bun:test'
import { openEventStream } from '../support/event-stream'
import { call, startService } from '../support/executable'
import { startUsed } from '../support/used-data'

const items = '/api/v1/tables/items'
const numbers = (events: { data: Record<string, unknown> }[]) =>
  events.map(({ data }) => (data.changes as { name: string; new: unknown }[]).find(({ name }) => name === 'number')?.new)

test.each(['SIGTERM', 'SIGKILL'] as const)('%s ends the streams of changes, and each goes on from its last event', async (signal) => {
  const first = await startUsed()
  const { token, dataDir } = first
  const create = async (url: string, number: number) => {
    expect((await call(`${url}${items}/records`, { token, body: { number } })).status).toBe(201)
  }
  const stream = await openEventStream(`${first.url}${items}/changes`, { token })
  await create(first.url, 1)
  const [seen] = await stream.take(1)
  expect(numbers([seen!])).toEqual([1])
  const ended = stream.ended().catch(() => [])
  expect(await first.stop(signal)).toBe(signal === 'SIGTERM' ? 0 : signal)
  await ended
  await using second = await startService({ dataDir })
  await create(second.url, 2)
  const again = await openEventStream(`${second.url}${items}/changes`, { token, lastId: seen!.id })
  await create(second.url, 3)
  expect(numbers(await again.take(2))).toEqual([2, 3])
  again.stop()
})
