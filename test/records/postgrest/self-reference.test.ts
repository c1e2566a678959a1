import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'public,data' })
await app.deps.db.sql.unsafe(`
  create table public.people (id int primary key, name text, boss_id int constraint people_boss references public.people);
  insert into public.people values (1, 'Ada', null), (2, 'Bob', 1), (3, 'Cid', 1);
  create table public.labs (id int primary key, name text, parent int constraint labs_parent references public.labs, auditor int constraint labs_auditor references public.labs);
  insert into public.labs values (1, 'top', null, null), (2, 'left', 1, 3), (3, 'right', 1, null);`)
await app.deps.catalog.refresh()
const ask = (path: string) => json(app.call(`/rest/v1/${path}`, { as: 'viewer' }))

describe('a table that points to itself is embedded as PostgREST does it', () => {
  const workers = [{ name: 'Bob' }, { name: 'Cid' }]
  test.each([
    ['by its name, the many', 'people?id=eq.1&select=people(name)', { people: workers }],
    ['by its name with the column as hint, the many', 'people?id=eq.1&select=people!boss_id(name)', { people: workers }],
    ['by its name with the key as hint, the many', 'people?id=eq.1&select=people!people_boss(name)', { people: workers }],
    ['by an alias and the column as hint, the many', 'people?id=eq.1&select=workers:people!boss_id(name)', { workers }],
    ['by the column alone, the one', 'people?id=eq.2&select=boss_id(name)', { boss_id: { name: 'Ada' } }],
    ['with two keys, by the first', 'labs?id=eq.1&select=labs!parent(name)', { labs: [{ name: 'left' }, { name: 'right' }] }],
    ['with two keys, by the second', 'labs?id=eq.3&select=labs!auditor(name)', { labs: [{ name: 'left' }] }],
    [
      'with two keys, the one by its column',
      'labs?id=eq.2&select=auditor(name),parent(name)',
      { auditor: { name: 'right' }, parent: { name: 'top' } },
    ],
  ])('%s', async (_, path, found) => {
    expect(await ask(path)).toEqual([found])
  })

  test('with two keys and no hint, the two ways to the many are named once each', async () => {
    const { code, details, hint } = await ask('labs?select=labs(name)')
    expect(code).toBe('PGRST201')
    expect(details.map(({ cardinality, relationship }: Record<string, string>) => [cardinality, relationship])).toEqual([
      ['one-to-many', expect.stringContaining('labs_auditor')],
      ['one-to-many', expect.stringContaining('labs_parent')],
    ])
    expect(hint.match(/labs!\w+/g)).toEqual(['labs!labs_auditor', 'labs!labs_parent'])
  })
})
