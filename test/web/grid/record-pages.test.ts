import { afterAll, expect, test } from 'bun:test'
import { DraftRows } from '../../../src/web/browser/records/pages/draft-rows'
import type { PendingCells } from '../../../src/web/browser/records/pages/pending-cells'
import { until } from '../../support/processes'

// The code of the browser listens to its window.
Object.assign(globalThis, { window: new EventTarget(), location: new URL('http://localhost/') })
const { queryClient } = await import('../../../src/web/browser/api/queries')
const { RecordPages } = await import('../../../src/web/browser/records/pages/record-pages')
const { refreshList } = await import('../../../src/web/browser/records/pages/list-refresh')

/** A list of this many records, page by page, as the service answers it. Records of other keys do not match its filter. */
let total = 350
const keysIn = (text: string | null) => text?.match(/\d+/g)?.map(Number)
const { fetch } = globalThis
globalThis.fetch = (async (input: string | URL | Request) => {
  const { searchParams } = new URL(String(input instanceof Request ? input.url : input), 'http://localhost')
  const [limit, offset] = [Number(searchParams.get('limit')), Number(searchParams.get('offset') ?? 0)]
  const keys = keysIn(searchParams.get('"id"'))
  if (keys) {
    const found = searchParams.has('listed') ? keys.filter((id) => id <= total) : keys
    return Response.json({ records: found.map((id) => ({ id })), nextCursor: null, totalCount: found.length })
  }
  const records = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, at) => ({ id: offset + at + 1 }))
  return Response.json({ records, nextCursor: null, totalCount: total })
}) as typeof globalThis.fetch
afterAll(() => {
  globalThis.fetch = fetch
  queryClient.clear()
  for (const name of ['window', 'location']) Reflect.deleteProperty(globalThis, name)
})

const openPages = (query: string) =>
  new RecordPages({ tableId: 'books', primaryKey: ['id'], query }, new DraftRows(true), {
    pendingOf: () => ({}),
  } as unknown as PendingCells)

test('records that were added and do not match the filter are shown after all that do', async () => {
  total = 3
  const pages = openPages('listed=yes')
  const close = pages.open()
  await until('the list is there', async () => pages.recordCount === 3)
  pages.setVisibleRange(0, 10)
  for (const id of [101, 102]) pages.append({ id })
  const ids = async () => (await pages.range(0, pages.recordCount - 1)).map(({ record }) => record.id)
  for (const added of [0, 1]) {
    total += added
    ;(await refreshList({ primaryKey: ['id'] }, pages, true))!.apply()
    expect([pages.recordCount, await ids()]).toEqual([total + 2, [...Array.from({ length: total }, (_, at) => at + 1), 101, 102]])
  }
  close()
})

test('a record that was added stands once in the list, also when its page is fetched again', async () => {
  total = 350
  const pages = openPages('')
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
