import { describe, expect, test } from 'bun:test'
import { Shares } from '../../src/db/pool/connection-shares'
import { RequestScope } from '../../src/db/pool/scope'
import { rejection, settled } from '../support/rejection'

/** Work that lasts until it is ended, and what of it has begun. */
function workOf(shares: Shares) {
  const begun: string[] = []
  const running: { holder: string; end: () => void }[] = []
  const use = (claim: string | Parameters<Shares['use']>[0]) => {
    const { holder } = typeof claim === 'string' ? { holder: claim } : claim
    return shares.use(typeof claim === 'string' ? { holder } : claim, () => {
      begun.push(holder)
      return new Promise<void>((end) => running.push({ holder, end }))
    })
  }
  const end = async (holder: string) => {
    const index = running.findIndex((each) => each.holder === holder)
    running.splice(index, 1)[0]!.end()
    await Bun.sleep(0)
  }
  const endAll = async () => {
    while (running.length > 0) await end(running[0]!.holder)
  }
  return { begun, use, end, endAll }
}

const several = (count: number, work: () => Promise<void>) => Array.from({ length: count }, work)
const countOf = (begun: string[], holder: string) => begun.filter((each) => each === holder).length

describe('shares of ten connections', () => {
  test('one holder alone gets half of them, the next half of what is left, and there is one for who comes then', async () => {
    const { begun, use, endAll } = workOf(new Shares(10, 60_000))
    const all = ['ann', 'bob', 'cem', 'dan'].flatMap((holder) => several(20, () => use(holder)))
    await Bun.sleep(0)
    expect(['ann', 'bob', 'cem', 'dan'].map((holder) => countOf(begun, holder))).toEqual([5, 3, 1, 1])
    await endAll()
    await Promise.all(all)
    expect(begun).toHaveLength(80)
  })

  test('who has the fewest goes first, and a queue is served in order', async () => {
    const { begun, use, end, endAll } = workOf(new Shares(10, 60_000))
    const all = ['ann', 'bob', 'cem', 'dan'].flatMap((holder) => several(20, () => use(holder)))
    all.push(use('eve'))
    await Bun.sleep(0)
    expect(begun).not.toContain('eve')
    await end('ann')
    expect(begun.at(-1)).toBe('eve')
    await endAll()
    await Promise.all(all)
  })

  test('who waits longer than is allowed is told to come back, and takes no place', async () => {
    const { begun, use, endAll } = workOf(new Shares(2, 0))
    const both = [use('ann'), use('bob')]
    expect(await rejection(use('ann'))).toMatchObject({ kind: 'unavailable', extras: { headers: { 'retry-after': '5' } } })
    expect(await rejection(use('cem'))).toMatchObject({ kind: 'unavailable' })
    await endAll()
    await Promise.all(both)
    const next = use('cem')
    expect(begun).toEqual(['ann', 'bob', 'cem'])
    await endAll()
    await next
  })

  test('transactions leave a place to what is done beside them, which waits for no transaction', async () => {
    const shares = new Shares(4, 60_000)
    const { begun, use, endAll } = workOf(shares)
    const all = ['ann', 'bob', 'cem', 'dan'].map((holder) => use({ holder, isTransaction: true }))
    all.push(use({ holder: 'ann', depth: 1 }))
    await Bun.sleep(0)
    expect(begun).toEqual(['ann', 'bob', 'cem', 'ann'])
    await endAll()
    await Promise.all(all)
    expect(begun).toHaveLength(5)
    expect(await settled(use({ holder: 'ann', depth: 3 }))).toThrow('inside of two others')
  })

  test('what has ended while it waited takes no place', async () => {
    const shares = new Shares(1, 60_000)
    const { use, endAll, begun } = workOf(shares)
    const first = use('ann')
    const scope = new RequestScope()
    const second = shares.use({ holder: 'ann', scope }, async () => void begun.push('second'))
    scope.end(new Error('its time is up'))
    expect(await settled(second)).toThrow('its time is up')
    await endAll()
    await first
    const third = use('ann')
    expect(begun).toEqual(['ann', 'ann'])
    await endAll()
    await third
  })

  test('work that fails gives its place back', async () => {
    const shares = new Shares(1, 60_000)
    const failing = () => Promise.reject(new Error('no'))
    for (let time = 0; time < 3; time++) expect(await settled(shares.use({ holder: 'ann' }, failing))).toThrow('no')
  })
})
