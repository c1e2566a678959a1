import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { makeContacts, upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'

const app = await startApp()

beforeAll(async () => {
  await makeContacts(app, 'contacts')
})
beforeEach(async () => {
  await app.deps.db.sql.unsafe('truncate data.contacts restart identity cascade')
})

const rows = async (select = 'name,age', table = 'contacts') =>
  (await json(app.call(`/api/v1/tables/${table}/records?select=${select}&order=id`, { as: 'viewer' }))).records

const imported = async (file: string | Uint8Array | FormData, query = '', table = 'contacts') => {
  const answer = await upload(app, table, file, { query })
  const body = (await answer.json()) as Record<string, unknown>
  expect({ status: answer.status, body }).toMatchObject({ status: 200 })
  return body
}

const refused = async (file: string | Uint8Array, query = '', table = 'contacts') => {
  const problem = await expectProblem(await upload(app, table, file, { query }), 422, 'validation_failed')
  return {
    count: problem.details?.errorCount,
    errors: problem.errors as unknown as { line: number; column: string | null; message: string }[],
  }
}

describe('an import', () => {
  test('finds columns whose names begin or end with a blank, and passes over blanks that are the file’s own', async () => {
    await app.call('/api/v1/tables', {
      as: 'admin',
      body: {
        name: 'blanks',
        columns: [
          { name: ' lead', type: 'text' },
          { name: 'tail ', type: 'text' },
          { name: 'plain', type: 'text' },
        ],
      },
    })
    await imported(' lead,tail , plain \na,b,c\n', '', 'blanks')
    expect(await rows('*', 'blanks')).toEqual([{ id: 1, ' lead': 'a', 'tail ': 'b', plain: 'c' }])
  })

  test('takes every type, quotes, line breaks in cells, and says what it did', async () => {
    const file =
      'name,email,age,balance,active,born,created,notes\n"A ""B""\nC",a@x,1,12.5,yes,1990-02-03,2026-01-02T03:04:05+01:00,"{""a"":1}"\nD,,,,,,2026-01-02 03:04:05Z,null\n'
    expect(await imported(file)).toEqual({ inserted: 2, updated: 0, dryRun: false, ignored: [], encoding: 'utf-8', delimiter: ',' })
    expect(await rows('name,email,age,balance,active,born,created,notes')).toEqual([
      {
        name: 'A "B"\nC',
        email: 'a@x',
        age: 1,
        balance: 12.5,
        active: true,
        born: '1990-02-03',
        created: '2026-01-02T02:04:05+00:00',
        notes: { a: 1 },
      },
      { name: 'D', email: null, age: null, balance: null, active: null, born: null, created: '2026-01-02T03:04:05+00:00', notes: null },
    ])
  })

  test.each([
    ['name;age\nA;1\n', { delimiter: ';' }],
    ['name\tage\nA\t1\n', { delimiter: '\t' }],
    ['name|age\nA|1\n', { delimiter: '|' }],
    ['sep=;\r\nname;age\r\nA;1\r\n', { delimiter: ';' }],
    ['NAME, Age \nA,1\n', { delimiter: ',' }],
    ['age;name\r\n1;A', { delimiter: ';' }],
    ['\n\nname,age\rA,1\r', { delimiter: ',' }],
    [Buffer.from('\ufeffname,age\nA,1\n'), { encoding: 'utf-8' }],
    [Buffer.from('\ufeffname\tage\r\nA\t1\r\n', 'utf16le'), { encoding: 'utf-16le', delimiter: '\t' }],
    [Buffer.from('\ufeffname\tage\r\nA\t1\r\n', 'utf16le').swap16(), { encoding: 'utf-16be' }],
  ])('finds out the delimiter and the encoding of %j', async (file, found) => {
    expect(await imported(file)).toMatchObject({ inserted: 1, ...found })
    expect(await rows()).toEqual([{ name: 'A', age: 1 }])
  })

  test('takes what is no UTF-8 for Windows-1252, says so, and takes another encoding where it is told to', async () => {
    const file = Buffer.from('name\nM\xfcller \x80\n', 'latin1')
    expect(await imported(file)).toMatchObject({ encoding: 'windows-1252' })
    expect(await rows('name')).toEqual([{ name: 'Müller €' }])
    expect((await refused(file, '?encoding=utf-8')).errors).toEqual([
      { line: 2, column: null, message: 'contains bytes that are not UTF-8' },
    ])
  })

  test('maps names as it is told', async () => {
    await imported(
      'Full name,Years,Junk\nA,1,x\n',
      `?ignoreUnknown=true&mapping=${encodeURIComponent('{"Full name":"name","Years":"age"}')}`,
    )
    await imported('x,y,z\nB,junk,2\n', '?columns=name,,age')
    await imported('C,3\n', '?header=false&columns=name,age')
    // A line of nothing but delimiters is no header, even where its names do not count.
    await imported(',\nx,y\nD,4\n', '?columns=name,age')
    await imported(',\nE,5\n', '?header=false&columns=name,age')
    expect(await rows()).toEqual([
      { name: 'A', age: 1 },
      { name: 'B', age: 2 },
      { name: 'C', age: 3 },
      { name: 'D', age: 4 },
      { name: 'E', age: 5 },
    ])
  })

  test('takes a form, too', async () => {
    const form = new FormData()
    form.append('comment', 'x')
    form.append('file', new Blob(['name,age\nA,1\n', 'B,2\n']), 'people.csv')
    expect(await imported(form)).toMatchObject({ inserted: 2 })
    const empty = new FormData()
    empty.append('comment', 'x')
    await expectProblem(await upload(app, 'contacts', empty), 400, 'invalid_request')
  })

  test.each([
    ['a field behind the file', (form: FormData) => form.append('mode', 'insert')],
    ['a second file', (form: FormData) => form.append('more', new Blob(['name\nB\n']), 'b.csv')],
  ])('takes no form with %s, and nothing of it', async (_what, add) => {
    const form = new FormData()
    form.append('file', new Blob(['name,age\nA,1\n']), 'people.csv')
    add(form)
    const { message } = await expectProblem(await upload(app, 'contacts', form), 400, 'invalid_request')
    expect(message).toBe('The form has more parts after the file.')
    expect(await rows()).toEqual([])
  })

  test.each([
    ['contacts', 'dryRun', 'true'],
    ['contacts', 'mode', 'upsert'],
    ['contacts', 'mapping', '{}'],
    ['import', 'dryRun', 'true'],
  ])('into %s takes no form with the parameter %s as a field, which would not be read', async (table, name, value) => {
    const form = new FormData()
    form.append('name', 'from a form')
    form.append(name, value)
    form.append('file', new Blob(['name,age\nA,1\n']), 'people.csv')
    if (table === 'contacts') form.delete('name')
    const { message } = await expectProblem(await upload(app, table, form, { as: 'admin' }), 400, 'invalid_request')
    expect(message).toBe(`The parameter "${name}" is in the form, where it is not read.`)
    expect(await rows()).toEqual([])
    expect(await app.deps.db.query("select from rowhouse.tables where name = 'from a form'")).toHaveLength(0)
  })

  test('takes no form that ends in the middle of its file', async () => {
    const text = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname\nA\n'
    const headers = { 'content-type': 'multipart/form-data; boundary=b', authorization: `Bearer ${app.tokens.editor}` }
    const answer = await fetch(`${app.url}/api/v1/tables/contacts/import`, { method: 'POST', body: text, headers })
    await expectProblem(answer, 400, 'invalid_request')
    expect(await rows()).toEqual([])
  })

  test('with dryRun does all of it and leaves nothing', async () => {
    expect(await imported('name,age\nA,1\n', '?dryRun=true')).toMatchObject({ inserted: 1, dryRun: true })
    expect(await rows()).toEqual([])
    expect((await refused('name,age\nA,x\n', '?dryRun=true')).count).toBe(1)
  })

  test('keeps the keys that a file brings along, and the next record finds a free one', async () => {
    await imported('id,name\n5,A\n9,B\n')
    expect(await rows('id,name')).toEqual([
      { id: 5, name: 'A' },
      { id: 9, name: 'B' },
    ])
    expect((await json(app.call('/api/v1/tables/contacts/records', { as: 'editor', body: { name: 'C' } }))).id).toBe(10)
  })

  test('tells an empty cell from an empty text', async () => {
    await imported('name,email,age\n"","",""\nA,,\n')
    expect(await rows('name,email,age')).toEqual([
      { name: '', email: '', age: null },
      { name: 'A', email: null, age: null },
    ])
  })

  test('with nothing but a header makes nothing', async () => {
    expect(await imported('name,age\n')).toMatchObject({ inserted: 0 })
  })
})

describe('an upsert', () => {
  test('changes what is there by its key and makes the rest', async () => {
    await imported('id,name,age\n1,A,1\n2,B,2\n')
    expect(await imported('id,name,age\n2,Changed,3\n7,New,7\n,Counted,8\n', '?mode=upsert')).toMatchObject({ inserted: 2, updated: 1 })
    expect(await rows('id,name,age')).toEqual([
      { id: 1, name: 'A', age: 1 },
      { id: 2, name: 'Changed', age: 3 },
      { id: 7, name: 'New', age: 7 },
      { id: 8, name: 'Counted', age: 8 },
    ])
  })

  test('by another unique column changes the columns of the file only', async () => {
    await imported('name,email,age\nA,a@x,1\n')
    expect(await imported('email,age\na@x,5\n', '?mode=upsert&on=email')).toMatchObject({ inserted: 0, updated: 1 })
    expect(await rows('name,age')).toEqual([{ name: 'A', age: 5 }])
    expect((await refused('email,age\nb@x,5\n', '?mode=upsert&on=email')).errors[0]).toMatchObject({ line: 2, column: 'name' })
  })

  test('refuses two records with one key, and a column that is no key', async () => {
    expect(await refused('id,name\n1,A\n2,B\n1,C\n', '?mode=upsert')).toEqual({
      count: 1,
      errors: [{ line: 4, column: 'id', message: 'must be unique, and is already in line 2: "1"' }],
    })
    for (const query of ['?mode=upsert&on=age', '?mode=upsert&on=nothing', '?on=id', '?mode=replace']) {
      await expectProblem(await upload(app, 'contacts', 'id,name,age\n1,A,1\n', { query }), 400, 'invalid_request')
    }
    expect((await refused('name\nA\n', '?mode=upsert')).errors).toEqual([
      { line: 1, column: 'id', message: 'is needed to find the records of an upsert, and is not in the file' },
    ])
  })
})

describe('what is wrong with a file', () => {
  test('is told line by line, all at once, in the order of the file', async () => {
    await imported('name,email\nThere,there@x\n')
    const file = [
      'name,email,age,balance,active,born,created,notes',
      '"two\nlines",a@x,1,1,1,2026-01-01,2026-01-01T00:00:00Z,1',
      'Bad,b@x,3x,1.999,maybe,today,2026-13-01T00:00:00Z,{',
      '',
      ',c@x,,,,,,',
      'ragged,1',
      'Twice,a@x,,,,,,',
      'Taken,there@x,,,,,,',
      'Big,,99999999999,1e999,,2026-02-30,now,',
      '',
    ].join('\r\n')
    const { count, errors } = await refused(file)
    expect(errors.map(({ line, column }) => [line, column])).toEqual([
      [4, 'age'],
      [4, 'balance'],
      [4, 'active'],
      [4, 'born'],
      [4, 'created'],
      [4, 'notes'],
      [6, 'name'],
      [7, null],
      [8, 'email'],
      [9, 'email'],
      [10, 'age'],
      [10, 'balance'],
      [10, 'born'],
      [10, 'created'],
    ])
    expect(count).toBe(14)
    expect(errors[0]!.message).toBe('must be a whole number from -2147483648 to 2147483647: "3x"')
    expect(errors[8]!.message).toBe('must be unique, and is already in line 2: "a@x"')
    expect(errors[9]!.message).toBe('must be unique, and another record has it: "there@x"')
    expect(await rows('name')).toEqual([{ name: 'There' }])
  })

  test('shows the first hundred and counts all, and cuts long cells', async () => {
    const { count, errors } = await refused(`name,age\n${`A,${'x'.repeat(200)}\n`.repeat(250)}`)
    expect({ count, shown: errors.length, first: errors[0]!.line, last: errors[99]!.line }).toEqual({
      count: 250,
      shown: 100,
      first: 2,
      last: 101,
    })
    expect(errors[0]!.message).toEndWith(`: "${'x'.repeat(80)}…"`)
  })

  test.each([
    ['', 'the file is empty'],
    ['\n\n', 'the file is empty'],
    ['nmae\nA\n', 'is not a column of this table; did you mean "name"?'],
    ['age\n1\n', 'is required and not in the file'],
    ['name,NAME\nA,B\n', 'appears in the header twice'],
    ['name,age\nA,"1\n', 'opens a quotation mark that is never closed'],
    ['name\nA\0B\n', 'contains a NUL, which text cannot hold'],
    [`${'a,'.repeat(1700)}a\n`, 'has more than 1600 columns'],
  ])('%j', async (file, message) => {
    const { errors } = await refused(file)
    expect(errors.map((error) => error.message)).toContain(message)
    expect(await rows()).toEqual([])
  })

  test('rules, links and choices are held, too', async () => {
    await app.call('/api/v1/tables', {
      as: 'admin',
      body: {
        name: 'orders',
        columns: [
          { name: 'contact', type: 'link', options: { table: 'contacts' } },
          { name: 'state', type: 'select', options: { choices: ['open', 'done'] } },
          { name: 'amount', type: 'integer', options: { min: 1, max: 10 } },
          { name: 'mail', type: 'email' },
          { name: 'tags', type: 'multiSelect', options: { choices: ['x', 'y'] } },
        ],
      },
    })
    await imported('name\nA\n')
    expect(await imported('contact,state,amount,mail,tags\n1,open,1,a@example.org,"[""x""]"\n,,,,"x, y"\n', '', 'orders')).toMatchObject({
      inserted: 2,
    })
    const { errors } = await refused('contact,state,amount,mail,tags\n7,shut,11,nomail,z\n', '', 'orders')
    expect(errors.map(({ line, column }) => [line, column]).sort()).toEqual([
      [2, 'amount'],
      [2, 'contact'],
      [2, 'mail'],
      [2, 'state'],
      [2, 'tags'],
    ])
    expect(errors.find(({ column }) => column === 'contact')!.message).toBe('points to no record of "contacts": "7"')
  })

  test.each(['insert', 'upsert'])('a trigger that leaves one record of many out imports none of them, by %s', async (mode) => {
    await app.deps.db.sql.unsafe(`create table data.leaky_${mode} (id int primary key, name text);
      create function data.leak_${mode}() returns trigger language plpgsql as 'begin if new.name = ''leave out'' then return null; end if; return new; end';
      create trigger leak before insert or update on data.leaky_${mode} for each row execute function data.leak_${mode}()`)
    const file = `id,name\n${Array.from({ length: 50 }, (_, id) => `${id},${id === 37 ? 'leave out' : 'A'}\n`).join('')}`
    const problem = await expectProblem(await upload(app, `leaky_${mode}`, file, { query: `?mode=${mode}` }), 422, 'validation_failed')
    expect(problem.errors).toEqual([{ line: 39, column: null, message: 'A rule in the database refused this.' }] as never)
    expect(await app.deps.db.sql.unsafe(`select from data.leaky_${mode}`)).toHaveLength(0)
  })

  test('a trigger that refuses one record of many is found, and says why', async () => {
    await app.deps.db.sql.unsafe(`create function data.refuse() returns trigger language plpgsql as
      $$ begin if new.age = 77 then raise exception 'nobody is 77'; end if; return new; end $$;
      create trigger refuse before insert on data.contacts for each row execute function data.refuse()`)
    try {
      const file = `name,age\n${Array.from({ length: 500 }, (_, index) => `N${index},${index === 433 ? 77 : 1}`).join('\n')}\n`
      const { count, errors } = await refused(file)
      expect(count).toBe(1)
      expect(errors[0]).toMatchObject({ line: 435, column: null })
      expect(errors[0]!.message).toBe('A rule in the database refused this: nobody is 77.')
    } finally {
      await app.deps.db.sql.unsafe('drop trigger refuse on data.contacts; drop function data.refuse')
    }
  })
})

describe('who may import', () => {
  test('editors; and nobody else learns anything of the file', async () => {
    await expectProblem(await upload(app, 'contacts', 'nonsense', { as: 'viewer' }), 403, 'forbidden')
    await expectProblem(
      await fetch(`${app.url}/api/v1/tables/contacts/import`, { method: 'POST', body: 'name\nA\n' }),
      401,
      'unauthenticated',
    )
    await expectProblem(await upload(app, 'nothing', 'name\nA\n'), 404, 'not_found')
    const token = async (body: object) => (await json(app.call('/auth/tokens', { as: 'editor', body: { name: 'x', ...body } }))).token
    const { id } = await json(app.call('/api/v1/tables/contacts', { as: 'viewer' }))
    const send = (bearer: string) =>
      fetch(`${app.url}/api/v1/tables/contacts/import`, {
        method: 'POST',
        body: 'name\nA\n',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'text/csv' },
      })
    await expectProblem(await send(await token({ scope: 'read' })), 403, 'insufficient_scope')
    expect((await send(await token({ scope: 'write', tables: [id] }))).status).toBe(200)
    const other = await makeContacts(app, 'others')
    await expectProblem(await send(await token({ scope: 'write', tables: [other] })), 403, 'insufficient_scope')
  })

  test.each(['text/plain', 'application/json', 'application/x-www-form-urlencoded', ''])('nothing that is called %j', async (type) => {
    await expectProblem(await upload(app, 'contacts', 'name\nA\n', { type: type || 'x/y' }), 415, 'unsupported_media_type')
  })

  test.each([
    '?foo=1',
    '?mode=constructor',
    '?delimiter=x',
    '?encoding=klingon',
    '?dryRun=perhaps',
    '?header=false',
    '?mapping=[]',
    '?mode=insert&mode=insert',
  ])('nothing with %s', async (query) => {
    await expectProblem(await upload(app, 'contacts', 'name\nA\n', { query }), 400, 'invalid_request')
  })
})
