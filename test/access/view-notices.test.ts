import { beforeAll, describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'data,shop' })

beforeAll(async () => {
  await app.deps.db.sql.unsafe(`create schema shop; create schema behind;
    create table shop.orders (id int primary key, owner text, day date);
    create table shop.prices (id int primary key);
    create view shop."of today" as select * from shop.orders where day = current_date;
    create view behind.hidden as select owner, count(*) as orders from shop."of today" group by 1;
    create view shop."counts" as select * from behind.hidden;
    create materialized view shop.stored as select o.owner from shop.orders o join shop.prices p on p.id = o.id;
    create view shop.price_list as select * from shop.prices;
    create table shop.parts (id int, day date, primary key (id, day)) partition by range (day);
    create table shop.parts_old partition of shop.parts for values from (minvalue) to ('2020-01-01');
    create view shop.old_parts as select * from shop.parts_old`)
})

const own = { group: 'everyone', table: 'orders', read: 'owner=eq.@me' }
const put = async (rules: object[], query = '') => {
  const answer = await app.call(`/api/v1/access${query}`, { as: 'admin', method: 'PUT', body: { rules } })
  expect(answer.status).toBe(200)
  return json(answer)
}
const pairs = ({ notices }: { notices: { rule: number; view: string; table: string }[] }) =>
  notices.map(({ rule, view, table }) => [rule, view, table])

const ofOrders = [
  [0, 'counts', 'orders'],
  [0, 'of today', 'orders'],
  [0, 'stored', 'orders'],
]

describe('views over a table that a rule narrows', () => {
  test('are named by the dry run, by the answer of a save and by GET, through views of other schemas', async () => {
    expect(pairs(await put([own], '?dryRun=true'))).toEqual(ofOrders)
    expect(pairs(await json(app.call('/api/v1/access', { as: 'admin' })))).toEqual([])
    expect(pairs(await put([own]))).toEqual(ofOrders)
    const { notices } = await json(app.call('/api/v1/access', { as: 'admin' }))
    expect(notices[0].message).toBe('The view "counts" shows rows of "orders", which this rule narrows; the view has no rule of its own.')
    // They do show more: the rule does not hold for them.
    expect((await app.call('/api/v1/tables/counts/records', { as: 'viewer' })).status).toBe(200)
    expect((await app.call('/api/v1/tables/orders/records', { as: 'viewer' })).status).toBe(200)
  })

  test('are not named where they have a line of their own', async () => {
    const views = ['counts', 'of today'].map((table) => ({ group: 'role:editor', table, read: 'all' }))
    expect(pairs(await put([own, ...views], '?dryRun=true'))).toEqual([[0, 'stored', 'orders']])
    expect(pairs(await put([{ ...own, table: '*' }], '?dryRun=true'))).toEqual([])
  })

  test('are not named where everybody reads all of the table', async () => {
    expect(pairs(await put([{ ...own, read: 'all', update: 'owner=eq.@me' }], '?dryRun=true'))).toEqual([])
    expect(pairs(await put([{ ...own, read: 'all', columns: { read: ['id'] } }], '?dryRun=true'))).toEqual(ofOrders)
    expect(pairs(await put([{ ...own, read: 'all', group: 'role:editor' }], '?dryRun=true'))).toEqual(ofOrders)
  })

  test('are named where they show a view that a line narrows, or a partition of the table', async () => {
    const rules = [
      { group: 'role:editor', table: 'of today', read: 'all' },
      { group: 'everyone', table: 'parts', read: 'id=eq.1' },
    ]
    expect(pairs(await put(rules, '?dryRun=true'))).toEqual([
      [0, 'counts', 'of today'],
      [1, 'old_parts', 'parts'],
    ])
  })
})
