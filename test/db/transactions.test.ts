import { describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { startApp } from '../support/app'

/** One connection: what is sent behind the end of a transaction meets the next one on it. */
const { deps } = await startApp({ DATABASE_POOL_SIZE: '1' }, { users: false })
const { db } = deps
await db.query('create table public.notes (id integer primary key)')
const count = async () => Number((await db.query<{ n: string }>('select count(*) as n from public.notes'))[0]!.n)

describe('a commit that PostgreSQL answers with ROLLBACK fails the transaction', () => {
  test('of Db', async () => {
    const work = db.transaction(async ({ query }) => {
      await query('insert into public.notes values (1)')
      query('insert into public.notes values (1)').catch(() => {})
      return 'done'
    })
    expect(await work.catch((error) => error.code)).toBe('23505')
    expect(await count()).toBe(0)
  })

  test('of drizzle', async () => {
    const work = db.orm.transaction(async (tx) => {
      await tx.execute(sql`insert into public.notes values (1)`)
      tx.execute(sql`insert into public.notes values (1)`).catch(() => {})
      return 'done'
    })
    expect(await work.catch((error) => error.code)).toBe('23505')
    expect(await count()).toBe(0)
  })
})

test.each([
  [
    'Db',
    (keep: (late: () => Promise<unknown>) => void) =>
      db.transaction(async ({ query }) => keep(async () => query('insert into public.notes values (2)'))),
  ],
  [
    'drizzle',
    (keep: (late: () => Promise<unknown>) => void) =>
      db.orm.transaction(async (tx) => keep(async () => tx.execute(sql`insert into public.notes values (2)`))),
  ],
])('what is sent by a transaction of %s behind its end does not run', async (_name, transaction) => {
  let late: () => Promise<unknown> = async () => {}
  await transaction((given) => {
    late = given
  })
  const other = await db.transaction(async ({ query }) => {
    const refused = await late().catch((error) => error.cause?.code ?? error.code)
    await query('select 1')
    return refused
  })
  expect(other).toBe('TRANSACTION_OVER')
  expect(await count()).toBe(0)
})

describe('a transaction within a transaction', () => {
  const keys = async () => (await db.query<{ id: number }>('select id from public.notes order by id')).map(({ id }) => id)

  test('is undone by itself, and the one around it goes on', async () => {
    await db.query('delete from public.notes')
    const refused = await db.transaction(async (outer) => {
      await outer.query('insert into public.notes values (10)')
      const failed = outer.transaction(async (inner) => {
        await inner.query('insert into public.notes values (11)')
        await inner.transaction(({ query }) => query('insert into public.notes values (10)'))
      })
      const code = await failed.catch((error) => error.code)
      await outer.query('insert into public.notes values (12)')
      return code
    })
    expect(refused).toBe('23505')
    expect(await keys()).toEqual([10, 12])
  })

  test('takes back what it has set for itself alone', async () => {
    const seen = await db.transaction(async (outer) => {
      await outer.transaction(({ query }) => query("select set_config('transaction_read_only', 'on', true)"))
      return outer.query<{ id: number }>('insert into public.notes values (14) returning id')
    })
    expect(seen.map(({ id }) => id)).toEqual([14])
  })

  test('goes with the one around it', async () => {
    await db.query('delete from public.notes')
    const work = db.transaction(async (outer) => {
      await outer.transaction(({ query }) => query('insert into public.notes values (13)'))
      throw new Error('on purpose')
    })
    expect(await work.catch((error) => error.message)).toBe('on purpose')
    expect(await keys()).toEqual([])
  })
})
