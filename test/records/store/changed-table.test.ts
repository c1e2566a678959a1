import { afterAll, describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

/** What psql does to a table behind our back. */
const app = await startApp()
const { sql } = app.deps.db
// As in a database where Rowhouse may make no event triggers and has not looked yet: nobody tells it of the change.
await sql.unsafe('drop event trigger rowhouse_ddl; drop event trigger rowhouse_drop')
const columns = [
  { name: 'v', type: 'text' },
  { name: 'n', type: 'integer' },
]

const { refresh: reread } = app.deps.catalog
let isLooking = true
// Definitions are read again at most once a second. Until a test lets it, nobody looks, however long the test takes.
app.deps.catalog.refresh = async () => (isLooking ? reread() : app.deps.catalog.current())

/** The pause after the last time that somebody wanted to look ends at once. */
const { now } = performance
let aheadMs = 0
performance.now = () => now.call(performance) + aheadMs
afterAll(() => {
  performance.now = now
})

function letLook() {
  isLooking = true
  aheadMs += 1000
}

/** A table with one record, on which `change` is then done in the database. */
async function changed(name: string, change: string) {
  await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
  const records = `/api/v1/tables/${name}/records`
  const made = await app.call(records, { as: 'editor', body: { v: 'one', n: 1 } })
  expect(made.status).toBe(201)
  // Once before the change, so that the statements are prepared.
  await app.call(`${records}/1`, { as: 'viewer' })
  await app.call(records, { as: 'viewer' })
  isLooking = false
  await sql.unsafe(change)
  return {
    read: () => app.call(`${records}/1`, { as: 'viewer' }),
    list: () => app.call(records, { as: 'viewer' }),
    create: () => app.call(records, { as: 'editor', body: { v: 'two', n: 2 } }),
    mixed: () => app.call(records, { as: 'editor', body: [{ v: 'two' }, { n: 2 }] }),
    patch: () => app.call(`${records}/1`, { as: 'editor', method: 'PATCH', body: { v: 'two' } }),
    keep: () => app.call(`${records}/1`, { as: 'editor', method: 'PATCH', body: {} }),
    remove: () => app.call(`${records}/1`, { as: 'editor', method: 'DELETE' }),
  }
}

test('a table that was dropped is not found', async () => {
  for (const call of Object.values(await changed('dropped', 'drop table data.dropped'))) {
    const { message } = await expectProblem(await call(), 404, 'not_found')
    expect(message).toBe('The table is no longer in the database.')
  }
})

describe('a table is in conflict with what we know of it', () => {
  test.each([
    ['renamed_column', 'alter table data.renamed_column rename v to w', ['read', 'list', 'create', 'mixed', 'patch', 'keep']],
    ['renamed_key', 'alter table data.renamed_key rename id to key', ['read', 'list', 'create', 'mixed', 'patch', 'keep', 'remove']],
    [
      'retyped_key',
      'alter table data.retyped_key alter id drop identity; alter table data.retyped_key alter id type text',
      ['read', 'patch', 'keep', 'remove'],
    ],
    ['retyped_column', 'alter table data.retyped_column alter v type boolean using true', ['create', 'mixed', 'patch']],
    [
      'computed',
      'alter table data.computed drop v; alter table data.computed add v text generated always as (n::text) stored',
      ['create', 'mixed', 'patch'],
    ],
    [
      'viewed',
      'alter table data.viewed rename to kept; create view data.viewed as select id, v, n, 1 as xmin, 2 as ctid from data.kept group by 1, 2, 3',
      ['create', 'mixed', 'patch', 'remove'],
    ],
  ] as const)('%s', async (name, change, calls) => {
    const table = await changed(name, change)
    for (const call of calls) {
      const { message, hint } = await expectProblem(await table[call](), 409, 'conflict')
      expect({ call, message }).toEqual({ call, message: 'The table was altered outside Rowhouse.' })
      expect(hint).toContain('change it back')
    }
  })

  test('whose rights were taken away', async () => {
    const change = `create function data.forbid() returns text language plpgsql as $$ begin raise exception 'zebra7' using errcode = '42501'; end $$;
      alter table data.forbidden rename to was_forbidden; create view data.forbidden as select id, data.forbid() as v, n, 1 as xmin, 2 as ctid from data.was_forbidden`
    const table = await changed('forbidden', change)
    for (const call of [table.read, table.list]) {
      const response = await call()
      expect(await response.clone().text()).not.toContain('zebra7')
      const { message } = await expectProblem(response, 409, 'conflict')
      expect(message).toBe('Rowhouse does not have the database privileges to do this with the table.')
    }
  })
})

test('records that are too large to be read together: 400 says to ask for fewer', async () => {
  const change = `create function data.burst() returns text language plpgsql as $$ begin raise exception 'zebra7' using errcode = '54000'; end $$;
    alter table data.huge rename to was_huge; create view data.huge as select id, data.burst() as v, n, 1 as xmin, 2 as ctid from data.was_huge`
  const table = await changed('huge', change)
  for (const call of [table.read, table.list]) {
    const { hint } = await expectProblem(await call(), 400, 'invalid_request')
    expect(hint).toContain('limit')
  }
})

test.each([
  ['divided', '1 / (n - 1)'],
  ['raising', 'data.raise()'],
])('a value that the database cannot work out is a conflict, and its text stays inside (%s)', async (name, value) => {
  const change = `create or replace function data.raise() returns int language plpgsql as $$ begin raise 'zebra7' using errcode = 'ABC01'; end $$;
    alter table data.${name} rename to was_${name}; create view data.${name} as select id, v, ${value} as n from data.was_${name}`
  const { list } = await changed(name, change)
  const exported = () => app.call(`/api/v1/tables/${name}/export.csv`, { as: 'viewer' })
  for (const call of [list, exported]) {
    const response = await call()
    expect(await response.clone().text()).not.toContain('zebra7')
    const { message } = await expectProblem(response, 409, 'conflict')
    expect(message).toBe('The database cannot compute a value of this table.')
  }
})

describe('a rule in the database', () => {
  test('refuses a write, and says why', async () => {
    const change = `create function data.refuse() returns trigger language plpgsql as $$ begin raise exception 'never % here', lower(tg_op) using hint = 'Ask Ada.'; end $$;
      create trigger refuse before insert or update or delete on data.ruled for each row execute function data.refuse()`
    const table = await changed('ruled', change)
    for (const call of ['create', 'mixed', 'patch', 'remove'] as const) {
      const { message, hint } = await expectProblem(await table[call](), 409, 'conflict')
      const verb = { create: 'insert', mixed: 'insert', patch: 'update', remove: 'delete' }[call]
      expect({ message, hint }).toEqual({ message: `A rule in the database refused this: never ${verb} here.`, hint: 'Ask Ada.' })
    }
    expect((await table.read()).status).toBe(200)
  })

  test.each(['ABC01', 'PT418', '28000', '38000'])('refuses a write with a state of its own (%s)', async (state) => {
    const name = `state_${state.toLowerCase()}`
    const change = `create function data.${name}() returns trigger language plpgsql as $$ begin raise 'zebra7' using errcode = '${state}'; end $$;
      create trigger refuse before insert or update or delete on data.${name} for each row execute function data.${name}()`
    const table = await changed(name, change)
    for (const call of ['create', 'mixed', 'patch', 'remove'] as const) {
      const response = await table[call]()
      // As at /rest/v1: of PostgreSQL's own states the text may be PostgreSQL's, and hold values.
      expect((await response.clone().text()).includes('zebra7')).toBe(['ABC01', 'PT418'].includes(state))
      await expectProblem(response, 409, 'conflict')
    }
  })

  test('is named, and never the value that it refused', async () => {
    const refused = async (name: string, change: string) => {
      const response = await (await changed(name, change)).create()
      expect(await response.clone().text()).not.toContain('two')
      return response
    }
    const checked = await refused('checked', "alter table data.checked add constraint no_second check (v <> 'two')")
    expect((await expectProblem(checked, 422, 'validation_failed')).errors![0]!.message).toBe('does not fit the rule "no_second"')
    const domain = `create domain data.no_second_domain as text constraint domain_rule check (value <> 'two');
      alter table data.of_domain alter v type data.no_second_domain`
    expect((await expectProblem(await refused('of_domain', domain), 422, 'validation_failed')).errors![0]!.message).toBe(
      'does not fit the rule "domain_rule"',
    )
    const parts = `alter table data.parted rename to was_parted; create table data.parted (id bigint, v text, n int) partition by list (v);
      create table data.parted_one partition of data.parted for values in ('one')`
    expect((await expectProblem(await refused('parted', parts), 422, 'validation_failed')).errors![0]!.message).toBe(
      'belongs to no partition of this table',
    )
  })

  test('of row level security is told from a right that is missing', async () => {
    const role = `owner_${crypto.randomUUID().slice(0, 8)}`
    const change = `create role ${role}; grant usage on schema data to ${role}; alter table data.secured rename to behind_secured;
      alter table data.behind_secured enable row level security; grant all on data.behind_secured to ${role};
      create policy nobody on data.behind_secured to ${role} using (true) with check (v <> 'two');
      create view data.secured as select *, 1 as xmin, 2 as ctid from data.behind_secured; grant create on schema data to ${role}; alter view data.secured owner to ${role}`
    const table = await changed('secured', change)
    try {
      for (const call of ['create', 'patch'] as const) {
        const { message } = await expectProblem(await table[call](), 409, 'conflict')
        expect(message).toBe('Row level security refused this.')
      }
    } finally {
      await sql.unsafe(`drop owned by ${role} cascade; drop role ${role}`)
    }
  })

  test('that records may not overlap, or not be deleted while others point to them', async () => {
    const excluded = await changed(
      'excluded',
      `alter table data.excluded add exclude using btree (n with =); update data.excluded set n = 2`,
    )
    const { errors } = await expectProblem(await excluded.create(), 409, 'conflict')
    expect(errors![0]!.path).toBe('/n')
    const restricted = await changed(
      'restricted',
      'create table data.pointing (id bigint references data.restricted on delete restrict); insert into data.pointing values (1)',
    )
    await expectProblem(await restricted.remove(), 409, 'conflict')
  })
})

describe('definitions that have changed', () => {
  test('are read again by the read that finds out', async () => {
    const table = await changed('fresh', 'alter table data.fresh rename v to w')
    letLook()
    expect((await json(table.list())).records).toEqual([{ id: 1, w: 'one', n: 1 }])
    expect(await json(table.read())).toEqual({ id: 1, w: 'one', n: 1 })
  })

  test('are read again behind the write that finds out, which is not repeated', async () => {
    const table = await changed('written', 'alter table data.written rename v to w')
    letLook()
    await expectProblem(await table.patch(), 409, 'conflict')
    const { errors } = await expectProblem(await table.patch(), 422, 'validation_failed')
    expect(errors![0]!.path).toBe('/v')
    expect((await json(table.list())).records).toEqual([{ id: 1, w: 'one', n: 1 }])
  })
})
