import { beforeAll, describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const records = async (table: string) => (await json(app.call(`/api/v1/tables/${table}/records?order=id`, { as: 'viewer' }))).records

async function make(name: string, columns: object[]) {
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })).status).toBe(201)
}

const clubColumns = [
  { name: 'name', type: 'text', required: true, unique: true },
  { name: 'born', type: 'date' },
  { name: 'fee', type: 'decimal', options: { precision: 8, scale: 2 } },
  { name: 'seen', type: 'dateTime' },
  { name: 'paid', type: 'boolean' },
  { name: 'level', type: 'select', options: { choices: ['a', 'b'] } },
  { name: 'age', type: 'integer' },
]

beforeAll(async () => {
  await make('towns', [{ name: 'name', type: 'text' }])
  await make('pictured', [
    { name: 'name', type: 'text', unique: true },
    { name: 'price', type: 'decimal' },
    { name: 'pictures', type: 'attachment' },
    { name: 'made', type: 'createdAt' },
  ])
})

describe('files as people write them', () => {
  test('of German and American offices', async () => {
    await make('club', clubColumns)
    const german =
      'name;born;fee;seen;paid;age\nAda;24.12.1980;1.234,50;24.12.2025 14:30;ja;1.000\nBo;1.2.05;-3,5 €;31.01.2026, 07:05;x;\nCy;;12%;;nein;7\n'
    expect((await upload(app, 'club', german, { query: '?dates=dmy&decimals=comma&timezone=Europe/Berlin' })).status).toBe(200)
    const american = 'name,born,fee,seen,paid\nDi,12/24/1980,"$1,234.50",1/31/2026 2:30 PM,yes\n'
    expect((await upload(app, 'club', american, { query: '?dates=mdy&decimals=point&timezone=America/New_York' })).status).toBe(200)
    expect(await records('club')).toMatchObject([
      { name: 'Ada', born: '1980-12-24', fee: 1234.5, seen: '2025-12-24T13:30:00+00:00', paid: true, age: 1000 },
      { name: 'Bo', born: '2005-02-01', fee: -3.5, seen: '2026-01-31T06:05:00+00:00', paid: true, age: null },
      { name: 'Cy', born: null, fee: 0.12, paid: false, age: 7 },
      { name: 'Di', born: '1980-12-24', fee: 1234.5, seen: '2026-01-31T19:30:00+00:00', paid: true },
    ])
  })

  test('are refused where they are not as was said, with what was said', async () => {
    await make('strict', clubColumns)
    const answer = await upload(app, 'strict', 'name,born,fee\nAda,12/24/1980,1.5\n', { query: '?dates=dmy&decimals=comma' })
    const problem = await expectProblem(answer, 422, 'validation_failed')
    expect(problem.errors as unknown).toEqual([
      { line: 2, column: 'born', message: 'must be a day that exists, written as 31.12.2026: "12/24/1980"' },
      {
        line: 2,
        column: 'fee',
        message: 'must be a number of at most 8 digits, 2 of them after the decimal point, written as 1.234,50: "1.5"',
      },
    ])
    expect(problem.details).toEqual({ errorCount: 2, cellCount: 2, lineCount: 1 })
    // Nothing is rounded without a word.
    await expectProblem(await upload(app, 'strict', 'name,fee\nAda,1e-3\n'), 422, 'validation_failed')
    await expectProblem(await upload(app, 'strict', 'name,fee\nAda,"5,5%"\n', { query: '?decimals=comma' }), 422, 'validation_failed')
  })

  test('have no separated thousands without `decimals`, in a column of percents neither', async () => {
    await make('shares', [
      { name: 'name', type: 'text' },
      { name: 'share', type: 'percent' },
    ])
    const wrong = await upload(app, 'shares', 'name,share\na,"12,500%"\nb,"1,125"\nc,1 125 %\nd,"0,5 %"\n')
    const { errors } = await expectProblem(wrong, 422, 'validation_failed')
    expect((errors as unknown as object[]).map((error) => ({ ...error, message: '' }))).toEqual(
      [2, 3, 4, 5].map((line) => ({ line, column: 'share', message: '' })),
    )
    const right = 'name,share\na,25 %\nb,+5%\nc,\u22122.5\u00a0%\nd,%7\ne, 0.125 \nf,1.10\n'
    expect((await upload(app, 'shares', right)).status).toBe(200)
    expect((await records('shares')).map(({ share }: { share: number }) => share)).toEqual([0.25, 0.05, -0.025, 0.07, 0.125, 1.1])
  })

  test('are what a new table is guessed from', async () => {
    const text = 'Name;Geboren;Betrag;Bezahlt;Stück\nAda;24.12.1980;1.234,50;ja;1.000\nBo;01.02.2005;3,5;nein;12\n'
    const send = (more = '', body = text) => upload(app, 'import', body, { as: 'admin', query: `?name=kunden${more}` })
    const plan = await json(send('&dryRun=true'))
    expect(plan).toMatchObject({ dates: 'dmy', decimals: 'comma', ambiguous: [] })
    expect(plan.columns.map(({ type }: { type: string }) => type)).toEqual(['text', 'date', 'decimal', 'boolean', 'integer'])
    expect((await send()).status).toBe(201)
    expect((await records('kunden'))[0]).toEqual({ id: 1, Name: 'Ada', Geboren: '1980-12-24', Betrag: 1234.5, Bezahlt: true, Stück: 1000 })
    const open = await json(send('&dryRun=true', 'a;b\n01/02/2026;1,234\n'))
    expect(open).toMatchObject({ dates: null, decimals: null, ambiguous: ['dates', 'decimals'] })
    const said = await json(send('&dryRun=true&dates=mdy&decimals=point', 'a;b\n01/02/2026;1,234\n'))
    expect(said).toMatchObject({ dates: 'mdy', decimals: 'point', ambiguous: [] })
  })
})

describe('what is wrong', () => {
  test('is told of its own column, not of those that the file does not fill', async () => {
    const problem = await expectProblem(await upload(app, 'pictured', 'name,price\nA,1\nB,many\n'), 422, 'validation_failed')
    expect(problem.errors as unknown).toEqual([{ line: 3, column: 'price', message: 'must be a number: "many"' }])
  })

  const wrong =
    'name,born,level,age,fee\nA,2026-01-01,a,1,1\nB,never,c,many,2\n\nC,2026-01-03,b\n,2026-01-04,a,3,4\nA,2026-01-05,a,5,5\nD,2026-01-06,b,6,6\n'

  test('may be left empty, where that is enough', async () => {
    await make('emptied', clubColumns)
    const cells = 'name,born,level,age\nA,2026-01-01,c,1\n"B\n2",never,b,many\nC,2026-01-03,,3\n'
    const refused = await expectProblem(await upload(app, 'emptied', cells), 422, 'validation_failed')
    expect(refused.details).toEqual({ errorCount: 3, cellCount: 3, lineCount: 2 })
    const done = await json(upload(app, 'emptied', cells, { query: '?invalidCells=empty' }))
    expect(done).toMatchObject({ inserted: 3, emptied: 3, skipped: 0 })
    expect(done.problems.map(({ line, column }: { line: number; column: string }) => [line, column])).toEqual([
      [2, 'level'],
      [3, 'born'],
      [3, 'age'],
    ])
    expect(await records('emptied')).toMatchObject([
      { name: 'A', born: '2026-01-01', level: null, age: 1 },
      { name: 'B\n2', born: null, level: 'b', age: null },
      { name: 'C', born: '2026-01-03', level: null, age: 3 },
    ])
    await expectProblem(await upload(app, 'emptied', wrong, { query: '?invalidCells=empty' }), 422, 'validation_failed')
    expect(await records('emptied')).toHaveLength(3)
  })

  test('are all counted at once, also several of one line and of different kinds', async () => {
    await make('counted', [
      ...clubColumns,
      { name: 'rank', type: 'integer', options: { min: 1 } },
      { name: 'code', type: 'text', options: { maxLength: 3 } },
    ])
    await upload(app, 'counted', 'name\nTaken\n')
    const text = 'name,born,level,rank,code\nA,31.02.2026,z,0,long\nB,2026-01-02,a,x,abc\nTaken,today,b,1,abc\n'
    const refused = await expectProblem(await upload(app, 'counted', text), 422, 'validation_failed')
    expect((refused.errors as unknown as { line: number; column: string }[]).map(({ line, column }) => `${line} ${column}`)).toEqual([
      ...['2 born', '2 code', '2 level', '2 rank'],
      '3 rank',
      ...['4 born', '4 name'],
    ])
    expect(refused.details).toEqual({ errorCount: 7, cellCount: 6, lineCount: 3 })
    const done = await json(upload(app, 'counted', text.replace('Taken', 'C'), { query: '?invalidCells=empty' }))
    expect(done).toMatchObject({ inserted: 3, emptied: 6 })
  })

  test('may be skipped by the line', async () => {
    await make('skipped', clubColumns)
    const done = await json(upload(app, 'skipped', wrong, { query: '?invalidLines=skip' }))
    expect(done).toMatchObject({ inserted: 2, emptied: 0, skipped: 4 })
    expect((await records('skipped')).map(({ name }: { name: string }) => name)).toEqual(['A', 'D'])
    expect(done.problems.map(({ line }: { line: number }) => line)).toEqual([3, 3, 3, 5, 6, 7])
    const again = await json(upload(app, 'skipped', wrong, { query: '?invalidLines=skip&mode=upsert&on=name' }))
    expect(again).toMatchObject({ inserted: 0, updated: 2, skipped: 4 })
  })

  test('may be left empty and skipped, each where it helps', async () => {
    await make('both', clubColumns)
    const done = await json(upload(app, 'both', wrong, { query: '?invalidLines=skip&invalidCells=empty' }))
    expect(done).toMatchObject({ inserted: 3, emptied: 3, skipped: 3 })
    expect(await records('both')).toMatchObject([{ name: 'A' }, { name: 'B', born: null, level: null, age: null, fee: 2 }, { name: 'D' }])
    // A dry run tells the same and writes nothing.
    await make('dry', clubColumns)
    expect(await json(upload(app, 'dry', wrong, { query: '?invalidLines=skip&dryRun=true' }))).toMatchObject({ inserted: 2, skipped: 4 })
    expect(await records('dry')).toEqual([])
  })

  test('is skipped when only a trigger knows, and when links lead nowhere', async () => {
    await make('watched', [
      { name: 'name', type: 'text' },
      { name: 'towns', type: 'manyLinks', options: { table: 'towns' } },
    ])
    await app.deps.db.sql.unsafe(`create function data.guard() returns trigger language plpgsql as $$
      begin if new.name = 'bad' then raise exception 'no %', new.name; end if; return new; end $$;
      create trigger guard before insert on data.watched for each row execute function data.guard()`)
    const text = 'name,towns\ngood,\nbad,\nlost,"[99]"\nfine,\nbad,\n'
    expect(await json(upload(app, 'watched', text, { query: '?invalidLines=skip' }))).toMatchObject({ inserted: 2, skipped: 3 })
    expect((await records('watched')).map(({ name }: { name: string }) => name)).toEqual(['good', 'fine'])
  })

  test('of links to many is found in all cells at once, and may be left empty', async () => {
    await make('routes', [
      { name: 'name', type: 'text' },
      { name: 'towns', type: 'manyLinks', options: { table: 'towns' } },
      { name: 'next', type: 'manyLinks', options: { table: 'routes' } },
    ])
    const text = 'id,name,towns,next\n1,a,"[98]",[2]\n2,b,"[99,97]",\n3,c,,"[1,7]"\n'
    const problems = [
      { line: 2, column: 'towns', message: 'points to no record of "towns": "[98]"' },
      { line: 3, column: 'towns', message: 'points to no record of "towns": "[99,97]"' },
      { line: 4, column: 'next', message: 'points to no record of "routes": "[1,7]"' },
    ]
    for (const query of ['', '?links=keys']) {
      const { errors, details } = await expectProblem(await upload(app, 'routes', text, { query }), 422, 'validation_failed')
      expect(errors as unknown).toEqual(problems)
      expect(details).toEqual({ errorCount: 3, cellCount: 3, lineCount: 3 })
    }
    expect(await json(upload(app, 'routes', text, { query: '?invalidCells=empty' }))).toMatchObject({ inserted: 3, emptied: 3, problems })
    const { records } = await json(app.call('/api/v1/tables/routes/records?select=towns,next&order=id', { as: 'viewer' }))
    expect(records).toEqual([
      { towns: [], next: [2] },
      { towns: [], next: [] },
      { towns: [], next: [] },
    ])
  })

  test('of a trigger is the fault of its own line, also where earlier lines link to later ones', async () => {
    await make('steps', [
      { name: 'name', type: 'text' },
      { name: 'parent', type: 'link', options: { table: 'steps' } },
    ])
    await app.deps.db.sql.unsafe(`create function data.guard_steps() returns trigger language plpgsql as $$
      begin if new.name = 'bad' then raise exception 'no %', new.name; end if; return new; end $$;
      create trigger guard before insert on data.steps for each row execute function data.guard_steps()`)
    const text = 'id,name,parent\n1,a,3\n2,b,\n3,c,\n4,bad,\n'
    const { errors } = await expectProblem(await upload(app, 'steps', text), 422, 'validation_failed')
    expect(errors as unknown).toMatchObject([{ line: 5, column: null }])
    expect(await json(upload(app, 'steps', text, { query: '?invalidLines=skip' }))).toMatchObject({ inserted: 3, skipped: 1 })
    expect((await records('steps')).map(({ parent }: { parent: number | null }) => parent)).toEqual([3, null, null])
  })

  test('within a quotation that is never closed is refused whatever was said', async () => {
    await expectProblem(await upload(app, 'pictured', 'name,price\nA,1\n"B,2\n', { query: '?invalidLines=skip' }), 422, 'validation_failed')
  })
})
