import { expect, test } from 'bun:test'
import { createSignInQueue } from '../../../src/auth/accounts/queue'
import { Failure } from '../../../src/errors'

const waitingPlaces = 64

test('one too many is refused at once, not after those who wait', async () => {
  const queue = createSignInQueue(2)
  const [gate, order] = [Promise.withResolvers<void>(), [] as string[]]
  const job = (name: string) =>
    queue(() => gate.promise).then(
      () => void order.push(name),
      (error) => {
        expect(error).toBeInstanceOf(Failure)
        expect(error).toMatchObject({ kind: 'unavailable', extras: { headers: { 'retry-after': '2' } } })
        order.push(`${name} refused`)
      },
    )
  // Nothing of this waits for a clock: the jobs end when `gate` opens, and it opens when those too many have their
  // answer.
  const taken = Array.from({ length: 2 + waitingPlaces }, (_, index) => job(`${index}`))
  await Promise.all([job('first too many'), job('second too many')])
  expect(order).toEqual(['first too many refused', 'second too many refused'])
  gate.resolve()
  await Promise.all(taken)
  expect(order).toHaveLength(2 + 2 + waitingPlaces)
  expect(order.filter((entry) => entry.endsWith('refused'))).toHaveLength(2)
  await job('later')
  expect(order.at(-1)).toBe('later')
})
