import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
let number = 0

type Column = { name: string; type: string; default?: unknown; options: { choices: unknown[] } }

/** A table with the column `v` and these values. */
async function tableOf(column: object, values: unknown[], others: object[] = []): Promise<string> {
  const name = `c${++number}`
  const made = await admin('', 'POST', { name, columns: [{ name: 'v', ...column }, ...others] })
  if (made.status !== 201) throw new Error(await made.text())
  const records = await app.call(`/api/v1/tables/${name}/records`, { as: 'editor', body: values.map((v) => ({ v })) })
  if (records.status !== 201) throw new Error(await records.text())
  return name
}
const valuesOf = async (name: string): Promise<unknown[]> => {
  const { records } = await json(app.call(`/api/v1/tables/${name}/records?order=id`, { as: 'viewer' }))
  return records.map(({ v }: { v: unknown }) => v)
}
const columnOf = async (name: string): Promise<Column> => {
  const { columns } = await json(app.call(`/api/v1/tables/${name}`, { as: 'viewer' }))
  return columns.find((column: Column) => column.name === 'v')
}
const patch = (name: string, body: object, query = '') => admin(`/${name}/columns/v${query}`, 'PATCH', body)
const select = (...choices: unknown[]) => ({ type: 'select', options: { choices } })
const multiSelect = (...choices: unknown[]) => ({ type: 'multiSelect', options: { choices } })

describe('a choice in use', () => {
  test('gets another name in the records, the options and the default, and keeps its colour and place', async () => {
    const name = await tableOf({ ...select('new', { value: 'open', color: 'teal' }, 'done'), default: 'open' }, [
      'open',
      'done',
      null,
      'open',
    ])
    const response = await patch(name, { renameChoices: { open: 'offen' } })
    expect(response.status).toBe(200)
    expect(await valuesOf(name)).toEqual(['offen', 'done', null, 'offen'])
    expect(await columnOf(name)).toMatchObject({
      default: 'offen',
      options: { choices: ['new', { value: 'offen', color: 'teal' }, 'done'] },
    })
    const made = await json(app.call(`/api/v1/tables/${name}/records`, { as: 'editor', body: {} }))
    expect(made.v).toBe('offen')
    await expectProblem(await app.call(`/api/v1/tables/${name}/records`, { as: 'editor', body: { v: 'open' } }), 422, 'validation_failed')
  })

  test.each<[string, object, Record<string, string>, unknown[], unknown[]]>([
    ['two swap their names', select('a', 'b'), { a: 'b', b: 'a' }, ['a', 'b', 'a'], ['b', 'a', 'b']],
    ['a chain', select('a', 'b', 'c'), { a: 'b', b: 'c', c: 'd' }, ['a', 'b', 'c'], ['b', 'c', 'd']],
    ['a ring', multiSelect('a', 'b', 'c'), { a: 'b', b: 'c', c: 'a' }, [['a', 'b'], ['c'], [], null], [['b', 'c'], ['a'], [], null]],
    [
      'commas, quotes and backslashes',
      select('a, "b"', "c'\\d"),
      { 'a, "b"': "e'\\", "c'\\d": '{f}' },
      ['a, "b"', "c'\\d"],
      ["e'\\", '{f}'],
    ],
    [
      'names of what every object has',
      select('constructor', '__proto__'),
      { constructor: 'x' },
      ['constructor', '__proto__'],
      ['x', '__proto__'],
    ],
  ])('is renamed with others at once: %s', async (_what, column, renameChoices, before, after) => {
    const name = await tableOf(column, before)
    expect((await patch(name, { renameChoices })).status).toBe(200)
    expect(await valuesOf(name)).toEqual(after)
  })

  test('is renamed while others come, go, and get colours, by options that are sent', async () => {
    const name = await tableOf(multiSelect('a', 'b', 'c'), [['a', 'b'], ['b']])
    const options = { choices: [{ value: 'A', color: 'gold' }, 'b', 'd'] }
    expect((await patch(name, { renameChoices: { a: 'A' }, options })).status).toBe(200)
    expect(await valuesOf(name)).toEqual([['A', 'b'], ['b']])
    expect((await columnOf(name)).options).toEqual(options)
  })

  test('becomes another one that stays, which no list then has twice', async () => {
    const name = await tableOf({ ...multiSelect('a', 'b', 'c'), default: ['a', 'b'] }, [['a', 'b'], ['b', 'c', 'a'], ['c'], [], null])
    expect((await patch(name, { renameChoices: { a: 'b' }, options: { choices: ['b', 'c'] } })).status).toBe(200)
    expect(await valuesOf(name)).toEqual([['b'], ['b', 'c'], ['c'], [], null])
    expect((await columnOf(name)).default).toEqual(['b'])
  })

  test('is counted by a dry run, which changes nothing', async () => {
    const name = await tableOf(select('a', 'b'), ['a', 'b', 'a', null])
    expect(await json(patch(name, { renameChoices: { a: 'x' } }, '?dryRun=true'))).toEqual({
      convertible: 4,
      failing: 0,
      renamed: 2,
      rows: [],
    })
    expect(await json(patch(name, { renameChoices: { a: 'x' }, options: { choices: ['x'] } }, '?dryRun=true'))).toMatchObject({
      failing: 1,
      renamed: 2,
    })
    expect(await valuesOf(name)).toEqual(['a', 'b', 'a', null])
  })

  test('is renamed though others that are in use go: refused with their names, or emptied', async () => {
    const name = await tableOf(select('a', 'b', 'c'), ['a', 'b', 'c'])
    const change = { renameChoices: { a: 'b', b: 'a' }, options: { choices: ['a', 'b'] } }
    const { details } = await expectProblem(await patch(name, change), 409, 'conflict')
    expect(details).toMatchObject({ choices: [{ choice: 'c', records: 1 }] })
    expect(await valuesOf(name)).toEqual(['a', 'b', 'c'])
    expect((await patch(name, { ...change, onFailure: 'null' })).status).toBe(200)
    expect(await valuesOf(name)).toEqual(['b', 'a', null])
  })

  test('is renamed together with its column', async () => {
    const name = await tableOf({ ...select('a', 'b'), default: 'a' }, ['a', 'b'])
    expect((await patch(name, { name: 'w', renameChoices: { a: 'x' } })).status).toBe(200)
    const { records } = await json(app.call(`/api/v1/tables/${name}/records?order=id`, { as: 'viewer' }))
    expect(records.map(({ w }: { w: unknown }) => w)).toEqual(['x', 'b'])
  })

  test.each<[string, object, Record<string, string>, object, string]>([
    ['that the column has not', select('a'), { z: 'x' }, {}, '/renameChoices/z'],
    ['with the name of one that stays', select('a', 'b'), { a: 'b' }, {}, '/options/choices/1'],
    ['two with one name', select('a', 'b'), { a: 'x', b: 'x' }, {}, '/renameChoices/a'],
    ['with a name that is not sent', select('a'), { a: 'x' }, { options: { choices: ['a'] } }, '/renameChoices/a'],
    ['whose old name is sent, too', select('a'), { a: 'x' }, { options: { choices: ['a', 'x'] } }, '/renameChoices/a'],
    ['of another type', { type: 'text' }, { a: 'x' }, {}, '/renameChoices'],
    ['with another type', select('a'), { a: 'x' }, { type: 'multiSelect' }, '/renameChoices'],
  ])('%s is refused', async (_what, column, renameChoices, others, path) => {
    const name = await tableOf(column, ['a'])
    const { errors } = await expectProblem(await patch(name, { renameChoices, ...others }), 422, 'validation_failed')
    expect(errors?.[0]?.path).toBe(path)
    expect(await valuesOf(name)).toEqual(['a'])
  })

  test('that a formula, a check or an index names is refused, which says by what', async () => {
    const formula = { name: 'label', type: 'formula', options: { expression: "case when v = 'open' then 'yes' else 'no' end" } }
    const name = await tableOf(select('open', 'done', 'late'), ['open'], [formula])
    await app.deps.db.query(`alter table data.${name} add constraint never_done check (v <> 'done')`)
    await app.deps.db.query(`create index late_ones on data.${name} (id) where v = 'late'`)
    for (const [choice, subject] of [
      ['open', 'the formula "label"'],
      ['done', 'the check "never_done"'],
      ['late', `the index "data.late_ones"`],
    ] as const)
      for (const query of ['', '?dryRun=true']) {
        const { message } = await expectProblem(await patch(name, { renameChoices: { [choice]: 'x' } }, query), 409, 'conflict')
        expect(message).toBe(`The choice "${choice}" cannot be renamed: ${subject} names it.`)
      }
    expect(await valuesOf(name)).toEqual(['open'])
  })

  test('that a formula only shows is renamed in it', async () => {
    const formula = { name: 'label', type: 'formula', options: { expression: 'upper(v)' } }
    const name = await tableOf(select('open'), ['open'], [formula])
    expect((await patch(name, { renameChoices: { open: 'todo' } })).status).toBe(200)
    const { records } = await json(app.call(`/api/v1/tables/${name}/records`, { as: 'viewer' }))
    expect(records[0]).toMatchObject({ v: 'todo', label: 'TODO' })
  })
})
