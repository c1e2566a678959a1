import { describe, expect, test } from 'bun:test'
import { withRetries } from '../src/retries'
import { unlessRunning } from '../src/unless-running'
import { settled } from './support/rejection'

const passing = new Error('passing')
const isPassing = (error: unknown) => error === passing

/** Fails so often, each time with the next of these errors. */
function failing(...errors: Error[]) {
  const tries: number[] = []
  const work = async (count: number) => {
    tries.push(count)
    const error = errors.shift()
    if (error) throw error
    return 'done'
  }
  return { tries, work }
}

describe('work is tried again', () => {
  test('after each pause, until it succeeds', async () => {
    const { tries, work } = failing(passing, passing)
    let retries = 0
    expect(await withRetries(work, { waitsMs: [0, 0, 0], isPassing, onRetry: () => retries++ })).toBe('done')
    expect([tries, retries]).toEqual([[1, 2, 3], 2])
  })

  test('not after the last pause, and not where the failure stays', async () => {
    const [long, final] = [failing(passing, passing, passing), failing(passing, new Error('final'))]
    expect(await settled(withRetries(long.work, { waitsMs: [0, 0], isPassing }))).toThrow('passing')
    expect(await settled(withRetries(final.work, { waitsMs: [0, 0], isPassing }))).toThrow('final')
    expect([long.tries, final.tries]).toEqual([
      [1, 2, 3],
      [1, 2],
    ])
  })

  test('not once the signal has aborted, which also ends a pause', async () => {
    const controller = new AbortController()
    const { tries, work } = failing(passing, passing)
    const onRetry = () => controller.abort(new Error('interrupted'))
    const outcome = await settled(withRetries(work, { waitsMs: [3_600_000], isPassing, onRetry, signal: controller.signal }))
    expect(outcome).toThrow('interrupted')
    expect(tries).toEqual([1])
  })
})

test('work that still runs is not started a second time, and may be after a failure', async () => {
  const held = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let started = 0
  const start = unlessRunning(() => held[started++]!.promise)
  const first = start()
  await start()
  expect(started).toBe(1)
  held[0]!.reject(new Error('failed'))
  expect(await settled(first)).toThrow('failed')
  held[1]!.resolve()
  await start()
  expect(started).toBe(2)
})
