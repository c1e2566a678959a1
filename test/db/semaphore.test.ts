import { expect, test } from 'bun:test'
import { createSemaphore } from '../../src/db/pool/semaphore'
import { Failure } from '../../src/errors'
import { verbatim } from '../../src/messages/message'
import { rejection, settled } from '../support/rejection'

/** Places that are few are shared out among callers, not among requests. */
const longMs = 60_000
const gateOf = (width: number) => createSemaphore(width, longMs, verbatim('Too many.'))

/** Enters in this order; `entered` says who has got in so far. */
function crowd(width: number) {
  const gate = gateOf(width)
  const entered: string[] = []
  const ask = (name: string, signal?: AbortSignal) => {
    const [caller = ''] = name.split(' ')
    const place = gate.acquire(caller, signal)
    place.then(
      () => entered.push(name),
      () => {},
    )
    return place
  }
  return { ask, entered }
}

test('of two places nobody gets both, so that others need not wait for a caller who takes long', async () => {
  const { ask, entered } = crowd(2)
  const first = await ask('viewer 1')
  void ask('viewer 2')
  await ask('admin 1')
  expect(entered).toEqual(['viewer 1', 'admin 1'])
  first()
  await Promise.resolve()
  await Bun.sleep(0)
  expect(entered).toEqual(['viewer 1', 'admin 1', 'viewer 2'])
})

test('one place goes to another caller before the same one gets it again', async () => {
  const { ask, entered } = crowd(1)
  const leave = await ask('viewer 1')
  const again = ask('viewer 2')
  const other = ask('admin 1')
  leave()
  ;(await other)()
  await again
  expect(entered).toEqual(['viewer 1', 'admin 1', 'viewer 2'])
})

test('of those who wait, first comes who has the fewest places', async () => {
  const { ask, entered } = crowd(3)
  const places = [await ask('viewer 1'), await ask('viewer 2'), await ask('editor 1')]
  for (const name of ['viewer 3', 'editor 2', 'admin 1']) void ask(name)
  places[0]!()
  await Bun.sleep(0)
  expect(entered.at(-1)).toBe('admin 1')
  places[1]!()
  await Bun.sleep(0)
  expect(entered.at(-1)).toBe('viewer 3')
})

test('a caller who has many waiting does not fill the queue for others', async () => {
  const gate = gateOf(1)
  const leave = await gate.acquire('viewer')
  const waiting = Array.from({ length: 100 }, () => gate.acquire('viewer'))
  const refused = Promise.any(
    waiting.map((place) =>
      place.then(
        () => Promise.reject(new Error('let in')),
        (error: Failure) => error.kind,
      ),
    ),
  )
  const admin = gate.acquire('admin')
  expect(await refused).toBe('unavailable')
  leave()
  ;(await admin)()
})

test('who leaves while waiting is not let in, and the next one is', async () => {
  const { ask, entered } = crowd(1)
  const leave = await ask('one 1')
  const leaving = new AbortController()
  const left = ask('two 1', leaving.signal)
  const after = ask('three 1')
  leaving.abort(new Error('The client closed the connection.'))
  expect(await settled(left)).toThrow('The client closed the connection.')
  leave()
  await after
  expect(entered).toEqual(['one 1', 'three 1'])
})

test('a place is given back once', async () => {
  const gate = createSemaphore(1, 1, verbatim('Too many.'))
  const leave = await gate.acquire('one')
  leave()
  leave()
  await gate.acquire('one')
  expect(await rejection(gate.acquire('two'))).toBeInstanceOf(Failure)
})

test('who queues waits beyond the time of others, and no more than so many of one caller', async () => {
  const gate = createSemaphore(1, 1, (isOwn) => verbatim(isOwn ? 'Your own is inside.' : 'Others are inside.'))
  const { signal } = new AbortController()
  const leave = gate.tryAcquire('viewer')!
  expect(gate.tryAcquire('viewer')).toBeNull()
  const queued = gate.enqueue('viewer', signal, 1)
  expect(() => gate.enqueue('viewer', signal, 1)).toThrow('Your own is inside.')
  expect(await settled(gate.acquire('viewer'))).toThrow('Your own is inside.')
  expect(await settled(gate.acquire('admin'))).toThrow('Others are inside.')
  leave()
  ;(await queued)()
  expect(gate.tryAcquire('viewer')).not.toBeNull()
})

test('who is withdrawn from the queue leaves the place to the next', async () => {
  const gate = gateOf(1)
  const leave = gate.tryAcquire('viewer')!
  const withdrawal = new AbortController()
  const first = gate.enqueue('viewer', withdrawal.signal, 2)
  const second = gate.enqueue('viewer', new AbortController().signal, 2)
  withdrawal.abort(new Error('withdrawn'))
  expect(await settled(first)).toThrow('withdrawn')
  leave()
  ;(await second)()
})
