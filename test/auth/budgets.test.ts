import { describe, expect, test } from 'bun:test'
import { addressBudget, createBudgets, pruneBudgets, readBudgetLimit, tokenBudget } from '../../src/auth/budgets'
import type { Failure } from '../../src/errors'
import { startApp } from '../support/app'
import { until } from '../support/processes'

const { deps } = await startApp({}, { users: false })
const { db } = deps
/** As another instance on the same database has it. */
const others = createBudgets(db)

const daily = (most: number) => ({ maxCalls: most, periodS: 86_400 })
const address = '192.0.2.7'
let count = 0
const newBudget = (most: number) => addressBudget(`purpose ${count++}`, address, daily(most))

/** @returns 0 where there was a call, or the seconds to wait */
const waitS = (taking: Promise<void>): Promise<number> =>
  taking.then(
    () => 0,
    (error: Failure) => {
      expect([error.kind, error.extras.headers!['retry-after']]).toEqual(['too_many_requests', String(error.extras.details!.retryAfterS)])
      return error.extras.details!.retryAfterS as number
    },
  )

describe('a limit is read from', () => {
  test.each([
    ['30/m', { maxCalls: 30, periodS: 60 }],
    ['1/s', { maxCalls: 1, periodS: 1 }],
    ['600/h', { maxCalls: 600, periodS: 3600 }],
    ['9999999/d', { maxCalls: 9_999_999, periodS: 86_400 }],
  ])('%s', (text, limit) => {
    expect(readBudgetLimit(text)).toEqual(limit)
  })

  test.each(['', '30', '30/', '/m', '0/m', '-1/m', '1.5/m', '30/w', '30/10m', '30 / m', '10000000/s', '030/m', 30, null])(
    'nothing else: %p',
    (text) => {
      expect(readBudgetLimit(text)).toBeNull()
    },
  )
})

test('of a hundred calls at once, at two instances, as many are let through as there are', async () => {
  const budget = newBudget(20)
  const waits = await Promise.all(Array.from({ length: 100 }, (_, index) => waitS((index % 2 ? deps.budgets : others).take(budget))))
  expect(waits.filter((wait) => wait === 0)).toHaveLength(20)
})

test('callers, purposes and limits are counted apart, and addresses of one IPv6 network together', async () => {
  const limit = daily(1)
  const take = (budget: ReturnType<typeof newBudget>) => waitS(others.take(budget))
  const apart = [
    addressBudget('apart', address, limit),
    addressBudget('apart', '192.0.2.8', limit),
    addressBudget('apart', '2001:db8:1:2::1', limit),
    addressBudget('apart', '2001:db8:1:3::1', limit),
    addressBudget('apart too', address, limit),
    addressBudget('apart', address, { maxCalls: 2, periodS: 86_400 }),
    tokenBudget('apart', address, limit),
  ]
  for (const budget of apart) expect(await take(budget)).toBe(0)
  expect(await take(apart[0]!)).toBeGreaterThan(0)
  expect(await take(addressBudget('apart', '2001:db8:1:2:ffff::1', limit))).toBeGreaterThan(0)
})

test('neither an address nor a token is stored', async () => {
  const token = crypto.randomUUID()
  await others.take(addressBudget('secret purpose', address, daily(5)))
  await others.take(tokenBudget('secret purpose', token, daily(5)))
  const stored = JSON.stringify(await db.query('select * from rowhouse.budgets'))
  for (const trace of [address, '192.0.2', token, 'secret purpose']) expect(stored).not.toContain(trace)
})

/** As if that many periods had passed since all calls. */
const pass = (periods: number) => db.query('update rowhouse.budgets set period_number = period_number - $1::integer', [String(periods)])

/** The part of a day that is still to come. */
const restOfDay = () => 1 - ((Date.now() / 1000) % 86_400) / 86_400

describe('calls of the period before', () => {
  test('count for the part that a period ending now still covers', async () => {
    const budget = newBudget(1000)
    const most = 1000
    for (let taken = 0; taken < most; taken += 50) await Promise.all(Array.from({ length: 50 }, () => others.take(budget)))
    // Before it is asked for, so that no refusal is remembered.
    await pass(1)
    const before = restOfDay()
    let taken = 0
    let wait = 0
    for (; wait === 0; wait = await waitS(createBudgets(db).take(budget))) taken++
    const after = restOfDay()
    // Where the day ends meanwhile, nothing can be said.
    if (after > before) return
    // The last one was refused, and the first of the loop was none.
    expect(taken - 1).toBeGreaterThanOrEqual(Math.floor(most - most * before))
    expect(taken - 1).toBeLessThanOrEqual(Math.ceil(most - most * after))
    // A day has 86 400 seconds, and one of a thousand calls fades in 86 of them.
    expect(wait).toBeLessThanOrEqual(88)
  })

  test('count no more when another one has passed', async () => {
    const budget = newBudget(1)
    await others.take(budget)
    await pass(2)
    expect(await waitS(createBudgets(db).take(budget))).toBe(0)
  })
})

test('a caller who was refused is refused until a call comes back, without a question to the database, and not longer', async () => {
  const budget = addressBudget('short', address, { maxCalls: 2, periodS: 1 })
  let wait = 0
  await until('one is refused', async () => {
    wait = Math.max(...(await Promise.all(Array.from({ length: 10 }, () => waitS(others.take(budget))))))
    return wait > 0
  })
  expect(wait).toBeLessThanOrEqual(2)
  await until('there is a call again', async () => (await waitS(others.take(budget))) === 0)
  const long = newBudget(1)
  await others.take(long)
  expect(await waitS(others.take(long))).toBeGreaterThan(0)
  await db.query('delete from rowhouse.budgets')
  expect(await waitS(others.take(long))).toBeGreaterThan(0)
  expect(await waitS(deps.budgets.take(long))).toBe(0)
})

test('a refused call is no write, and what has run out is swept', async () => {
  const budget = newBudget(1)
  await others.take(budget)
  const rows = () => db.query<{ xmin: string }>('select xmin::text from rowhouse.budgets order by key')
  const before = await rows()
  expect(await waitS(createBudgets(db).take(budget))).toBeGreaterThan(0)
  expect(await rows()).toEqual(before)
  await pruneBudgets(db)
  expect(await rows()).toEqual(before)
  await db.query("update rowhouse.budgets set expires_at = now() - interval '1 second'")
  await pruneBudgets(db)
  expect(await rows()).toEqual([])
})

test('a clock that was set back takes nobody’s calls away for longer than a period', async () => {
  const budget = newBudget(2)
  await others.take(budget)
  await pass(-1)
  expect(await waitS(createBudgets(db).take(budget))).toBe(0)
  const wait = await waitS(createBudgets(db).take(budget))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(2 * 86_400)
})
