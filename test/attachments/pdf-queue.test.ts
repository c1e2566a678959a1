import { expect, test } from 'bun:test'
import { createPdfPages } from '../../src/attachments/pdf-pages'
import { createSharedWork } from '../../src/db/pool/shared-work'
import type { Renderer } from '../../src/documents/render/renderer'
import { LimitExceeded } from '../../src/errors'
import { verbatim } from '../../src/messages/message'
import { rejection } from '../support/rejection'

const never = new AbortController().signal

/** Records the pages in the order in which they are drawn. */
function startPages(draw: () => Promise<unknown>) {
  const drawn: number[] = []
  const render = ((job: { page: number }) => {
    drawn.push(job.page)
    return draw()
  }) as unknown as Renderer['render']
  const pages = createPdfPages({ renderer: { render, stop: async () => {} } })
  const ask = (page: number, gone = never) =>
    pages('ada', { fileId: 'one', read: async () => new Uint8Array(), page, box: 1, pictureFormat: 'webp' }, gone)
  return { drawn, ask }
}

test('a page that nobody waits for any more loses its place in the queue', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const { drawn, ask } = startPages(() => promise)
  const leaving = new AbortController()
  const [first, second, third] = [ask(1), ask(2, leaving.signal), ask(3)]
  const left = rejection(second)
  leaving.abort(new Error('left'))
  expect(String(await left)).toContain('left')
  resolve({ bytes: new Uint8Array(), pageCount: 3 })
  await Promise.all([first, third])
  expect(drawn).toEqual([1, 3])
})

test('a file is refused after three pages that took too much', async () => {
  const { drawn, ask } = startPages(() => Promise.reject(new LimitExceeded('render_failed', verbatim('late'))))
  for (const page of [1, 1, 2, 3, 4, 5]) expect(await rejection(ask(page))).toMatchObject({ kind: 'not_found' })
  expect(drawn).toEqual([1, 2, 3])
})

test('shared work is given up when the last caller has left, and begins anew for the next one', async () => {
  const { isRunning, join } = createSharedWork<string>()
  const begun: AbortSignal[] = []
  const work = (gone: AbortSignal) => {
    begun.push(gone)
    return new Promise<string>((_, refuse) => gone.addEventListener('abort', () => refuse(gone.reason)))
  }
  const callers = [new AbortController(), new AbortController()]
  const left = callers.map(({ signal }) => rejection(join('key', signal, work)))
  callers[0]!.abort(new Error('left'))
  expect([begun.length, begun[0]!.aborted, isRunning('key')]).toEqual([1, false, true])
  callers[1]!.abort(new Error('left'))
  expect(await join('key', never, async () => 'anew')).toBe('anew')
  await Promise.all(left)
  expect([begun[0]!.aborted, isRunning('key')]).toEqual([true, false])
})
