import { afterAll, expect, test } from 'bun:test'
import { DraftRows } from '../../../src/web/browser/records/pages/draft-rows'
import type { PendingCells } from '../../../src/web/browser/records/pages/pending-cells'
import { until } from '../../support/processes'

// The code of the browser listens to its window.
Object.assign(globalThis, { window: new EventTarget(), location: new URL('http://localhost/') })
const { queryClient } = await import('../../../src/web/browser/api/queries')
const { RecordPages } = await import('../../../src/web/browser/records/pages/record-pages')

/** A list of this many records, page by page, as the service answers it. */
let total = 350
const { fetch } = globalThis
globalThis.fetch = (async (input: string | URL | Request) => {
  const { searchParams } = new URL(String(input instanceof Request ? input.url : input), 'http://localhost')
  const [limit, offset] = [Number(searchParams.get('limit')), Number(searchParams.get('offset') ?? 0)]
  const records = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, at) => ({ id: offset + at + 1 }))
  return Response.json({ records, nextCursor: null, totalCount: total })
}) as typeof globalThis.fetch
afterAll(() => {
  globalThis.fetch = fetch
  queryClient.clear()
  for (const name of ['window', 'location']) Reflect.deleteProperty(globalThis, name)
})

test('a record that was added stands once in the list, also when its page is fetched again', async () => {
  const pages = new RecordPages({ tableId: 'books', primaryKey: ['id'], query: '' }, new DraftRows(true), {
    pendingOf: () => ({}),
  } as unknown as PendingCells)
  const ids = async () => (await pages.range(300, pages.recordCount - 1)).map(({ record }) => record.id)
  const close = pages.open()
  await until('the list is there', async () => pages.recordCount === 350)
  pages.setVisibleRange(300, 349)
  expect((await ids()).at(-1)).toBe(350)
  total = 351
  pages.append({ id: 351 })
  expect((await ids()).slice(-2)).toEqual([350, 351])
  // Pages out of sight are forgotten after a while.
  queryClient.removeQueries({ queryKey: ['record-pages'] })
  await pages.range(300, 349)
  expect([pages.recordCount, (await ids()).slice(-2)]).toEqual([351, [350, 351]])
  close()
})
