import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { backUp, openFolder, restoreFrom } from '../support/backups'
import { openEventStream } from '../support/event-stream'
import { call, newFolder, startService } from '../support/executable'
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

test('after a restore, readers begin anew: those ahead of the backup, and those before it', async () => {
  const first = await startUsed()
  const { token, dataDir } = first
  const read = async (url: string, after?: string) => {
    const answer = await call(`${url}${items}/changes?wait=0${after ? `&after=${encodeURIComponent(after)}` : ''}`, { token })
    expect(answer.status).toBe(200)
    return (await answer.json()) as { cursor: string; reset: boolean }
  }
  const create = async (url: string, number: number) => {
    expect((await call(`${url}${items}/records`, { token, body: { number } })).status).toBe(201)
  }
  const before = await read(first.url)
  const file = join(openFolder(), 'base.tar.zst')
  expect(await backUp(dataDir, file)).toMatchObject({ code: 0 })
  for (const number of [1, 2, 3]) await create(first.url, number)
  const ahead = await read(first.url, before.cursor)
  expect(ahead.reset).toBe(false)
  expect(await first.stop()).toBe(0)
  const restored = join(newFolder(), 'data')
  expect(await restoreFrom(file, restored)).toMatchObject({ code: 0 })
  await using second = await startService({ dataDir: restored })
  // Past the cursor again, so that the counter of transactions alone would not tell.
  for (const number of [4, 5, 6, 7, 8]) await create(second.url, number)
  for (const { cursor } of [before, ahead]) {
    const anew = await read(second.url, cursor)
    expect(anew.reset).toBe(true)
    expect((await read(second.url, anew.cursor)).reset).toBe(false)
  }
}, 600_000)
