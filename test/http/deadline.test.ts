import { afterAll, expect, test } from 'bun:test'
import { Deadline } from '../../src/http/server/deadline'
import { settled } from '../support/rejection'

type Kind = { endsAt: number; name: string; isFaulty?: boolean }

const finished: string[] = []
const deadline = new Deadline<Kind>({
  finish: ({ name, isFaulty }, response) => {
    finished.push(name)
    if (isFaulty) throw new Error('a mistake at the end')
    return response
  },
  fail: (_kind, error) => new Response(String((error as Error).message), { status: 500 }),
  giveUp: ({ name }) => new Response(`${name} took too long`, { status: 503 }),
})
afterAll(() => deadline.stop())

const never = new Promise<Response>(() => {})
const inMs = (ms: number) => performance.now() + ms
const text = async (held: Promise<Response>) => (await held).text()

test('an answer goes as it is, a failure as what is made of it', async () => {
  expect(await text(deadline.hold({ endsAt: inMs(60_000), name: 'one' }, Promise.resolve(new Response('answered'))))).toBe('answered')
  expect(await text(deadline.hold({ endsAt: inMs(60_000), name: 'two' }, Promise.reject(new Error('failed'))))).toBe('failed')
})

test('whose time is up ends, and the others are waited for', async () => {
  const late = Promise.withResolvers<Response>()
  const held = {
    first: deadline.hold({ endsAt: inMs(0), name: 'first' }, never),
    middle: deadline.hold({ endsAt: inMs(60_000), name: 'middle' }, late.promise),
    last: deadline.hold({ endsAt: inMs(0), name: 'last' }, never),
  }
  expect(await text(held.first)).toBe('first took too long')
  expect(await text(held.last)).toBe('last took too long')
  late.resolve(new Response('late, and in time'))
  expect(await text(held.middle)).toBe('late, and in time')
})

test('an end may be moved', async () => {
  const moved = { endsAt: inMs(60_000), name: 'moved' }
  const held = deadline.hold(moved, never)
  moved.endsAt = inMs(0)
  expect(await text(held)).toBe('moved took too long')
})

test('an answer that comes behind its time is finished no second time', async () => {
  const late = Promise.withResolvers<Response>()
  const held = deadline.hold({ endsAt: inMs(0), name: 'given up' }, late.promise)
  expect((await held).status).toBe(503)
  late.resolve(new Response('too late'))
  await Bun.sleep(0)
  expect(finished.filter((name) => name === 'given up')).toEqual(['given up'])
})

test('a mistake at the end is told, not waited for', async () => {
  const faulty = { endsAt: inMs(60_000), name: 'faulty', isFaulty: true }
  expect(await settled(deadline.hold(faulty, Promise.resolve(new Response('x'))))).toThrow('a mistake at the end')
})

test('a thousand at a time, in any order, each get their own', async () => {
  const asked = Array.from({ length: 1000 }, (_, index) => ({ index, ...Promise.withResolvers<Response>() }))
  const held = asked.map(({ index, promise }) => deadline.hold({ endsAt: inMs(60_000), name: String(index) }, promise))
  const order = asked.toSorted((one, other) => ((one.index * 7919) % 1000) - ((other.index * 7919) % 1000))
  for (const { index, resolve } of order) resolve(new Response(String(index)))
  expect(await Promise.all(held.map(text))).toEqual(asked.map(({ index }) => String(index)))
})
