import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { json, startApp } from '../../support/app'
import { fillContacts, makeContacts, readRaw, sha256 } from '../../support/csv'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'

const app = await startApp()

beforeAll(async () => {
  await makeContacts(app, 'contacts')
  await app.call('/api/v1/tables/contacts/records', {
    as: 'editor',
    body: [
      {
        name: 'a, "b"\nc',
        age: 1,
        balance: '12.50',
        active: true,
        born: '1990-02-03',
        created: '2026-01-02T03:04:05.6Z',
        notes: { a: [1, null] },
      },
      { name: '', email: '=cmd()', age: -5, balance: -1.5, active: false, notes: 'text' },
      { name: '\\.', email: 'ü@😀', notes: null },
    ],
  })
  await makeContacts(app, 'big')
  await fillContacts(app, 'big', 150_000)
})

const csv = async (query = '', table = 'contacts') => {
  const answer = await app.call(`/api/v1/tables/${table}/export.csv${query}`, { as: 'viewer' })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

const stateOf = (id: string | null) => json(app.call(`/api/v1/exports/${id}`, { as: 'viewer' }))

describe('a file', () => {
  test('holds every column in the text of the JSON, null as nothing, the empty text in quotes', async () => {
    const { status, text, headers } = await csv()
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(headers.get('content-disposition')).toBe('attachment; filename="contacts.csv"')
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(text).toBe(
      [
        'id,name,email,age,balance,active,born,created,notes',
        '1,"a, ""b""\nc",,1,12.50,true,1990-02-03,2026-01-02T03:04:05.6+00:00,"{""a"": [1, null]}"',
        '2,"",=cmd(),-5,-1.50,false,,,"""text"""',
        '3,\\.,ü@😀,,,,,,',
        '',
      ].join('\n'),
    )
  })

  test('takes the filters, the select, the order and the limit of the list', async () => {
    expect((await csv('?select=n:name,age&age=gte.-5&order=age.desc')).text).toBe('n,age\n"a, ""b""\nc",1\n"",-5\n')
    expect((await csv('?select=id&order=id.desc&limit=2&offset=1')).text).toBe('id\n2\n1\n')
    expect((await csv('?select=active,id.count()&active=not.is.null&order=active')).text).toBe('active,count\nfalse,1\ntrue,1\n')
    expect((await csv('?select=email&email=eq.%3Dcmd()')).text).toBe('email\n=cmd()\n')
    expect((await csv('?select=id&name=eq.%25%27%24%31%25L')).text).toBe('id\n')
    expect((await csv('?select=notes->a->>0&notes->a=not.is.null')).text).toBe('a\n1\n')
    expect((await csv('?id=eq.77')).text).toBe('id,name,email,age,balance,active,born,created,notes\n')
  })

  test('makes formulas inert where asked, and leaves numbers alone', async () => {
    expect((await csv('?formulas=escape&select=email,age,balance&id=eq.2')).text).toBe("email,age,balance\n'=cmd(),-5,-1.50\n")
    expect((await csv('?formulas=escape&select="=x":name&id=eq.2')).text).toBe('\'=x\n""\n')
  })

  test('has another delimiter and a byte order mark where asked', async () => {
    for (const [asked, delimiter] of [
      ['%3B', ';'],
      ['semicolon', ';'],
      ['%09', '\t'],
      ['tab', '\t'],
      ['|', '|'],
      [',', ','],
    ] as const) {
      const { text } = await csv(`?delimiter=${asked}&select=id,name&id=eq.1`)
      expect(text).toBe(`id${delimiter}name\n1${delimiter}"a, ""b""\nc"\n`)
    }
    const answer = await app.call('/api/v1/tables/contacts/export.csv?bom=1&select=id&id=eq.1', { as: 'viewer' })
    expect(Buffer.from(await answer.arrayBuffer()).toString('hex')).toBe('efbbbf69640a310a')
  })

  test.each([
    ['?nmae=eq.1', 'invalid_request', 400],
    ['?age=eq.x', 'invalid_request', 400],
    ['?delimiter=x', 'invalid_request', 400],
    ['?bom=constructor', 'invalid_request', 400],
    ['?bom=1&bom=1', 'invalid_request', 400],
    ['?formulas=__proto__', 'invalid_request', 400],
    ['?cursor=x', 'invalid_request', 400],
    ['?select=bom&bom', 'invalid_request', 400],
  ] as const)('is refused before its first byte for %s', async (query, code, status) => {
    await expectProblem(await app.call(`/api/v1/tables/contacts/export.csv${query}`, { as: 'viewer' }), status, code)
  })

  test('is for whoever may read the table, and for links', async () => {
    await expectProblem(await app.call('/api/v1/tables/contacts/export.csv'), 401, 'unauthenticated')
    await expectProblem(await app.call('/api/v1/tables/nothing/export.csv', { as: 'viewer' }), 404, 'not_found')
    const { id } = await json(app.call('/api/v1/tables/big', { as: 'admin' }))
    const make = async (body: object) => (await json(app.call('/auth/tokens', { as: 'viewer', body: { name: 'x', ...body } }))).token
    const [reading, narrow] = [await make({ scope: 'read' }), await make({ scope: 'read', tables: [id] })]
    expect((await app.call(`/api/v1/tables/contacts/export.csv?token=${reading}&id=eq.1`)).status).toBe(200)
    await expectProblem(await app.call(`/api/v1/tables/contacts/export.csv?token=${narrow}`), 403, 'insufficient_scope')
    expect((await app.call(`/api/v1/tables/big/export.csv?token=${narrow}&limit=1`)).status).toBe(200)
  })

  test('has a name that no header and no folder is broken by', async () => {
    const name = 'a"b;c/../d\r\n‮ü😀'.replace('\r\n', '\n')
    await app.call('/api/v1/tables', { as: 'admin', body: { name, columns: [] } })
    const answer = await app.call(`/api/v1/tables/${encodeURIComponent(name)}/export.csv`, { as: 'viewer' })
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="a_b_c_.._d_____.csv"; filename*=UTF-8''a_b_c_.._d__%C3%BC%F0%9F%98%80.csv`,
    )
  })

  test('is not made for HEAD', async () => {
    const answer = await app.call('/api/v1/tables/contacts/export.csv', { as: 'viewer', method: 'HEAD' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toStartWith('text/csv')
    expect(answer.headers.get('content-length')).toBeNull()
    expect(answer.headers.get('x-export-id')).toBeNull()
    await expectProblem(await app.call('/api/v1/tables/contacts/export.csv?x=1', { as: 'viewer' }), 400, 'invalid_request')
  })
})

describe('what became of an export', () => {
  test('its owner learns rows, bytes and SHA-256 of exactly what was sent', async () => {
    const answer = await app.call('/api/v1/tables/big/export.csv?bom=1', { as: 'viewer' })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    expect(await stateOf(answer.headers.get('x-export-id'))).toMatchObject({
      state: 'complete',
      rows: 150_000,
      bytes: bytes.length,
      sha256: sha256(bytes),
    })
  })

  test('nobody else does, and after a day nobody', async () => {
    const id = (await csv('?limit=1')).headers.get('x-export-id')
    await expectProblem(await app.call(`/api/v1/exports/${id}`, { as: 'admin' }), 404, 'not_found')
    await expectProblem(await app.call('/api/v1/exports/nothing', { as: 'viewer' }), 404, 'not_found')
    await app.deps.db.sql`update rowhouse.exports set started_at = now() - interval '25 hours' where id = ${id}`
    await expectProblem(await app.call(`/api/v1/exports/${id}`, { as: 'viewer' }), 404, 'not_found')
  })
})

const backends = async () =>
  (
    await app.deps.db.sql`select pid from pg_stat_activity where datname = current_database() and query like 'copy%' and state = 'active'`
  ).map(({ pid }) => pid as number)

describe('what goes wrong on the way', () => {
  test('a query that fails later breaks the connection, and the file has no good end', async () => {
    await app.deps.db.sql.unsafe(
      `create table data.odd (id bigint primary key, n int); insert into data.odd select g, g from generate_series(1, 50000) g`,
    )
    await makeContacts(app, 'failing')
    await fillContacts(app, 'failing', 50_000)
    // The last row cannot become a number.
    await app.deps.db.sql.unsafe(`update data.failing set name = case when id = 50000 then 'x' else id::text end`)
    const received = await readRaw(app.url, '/api/v1/tables/failing/export.csv?select=id,name::integer,notes', app.tokens.viewer)
    expect(received.head).toStartWith('HTTP/1.1 200')
    expect(received.body.length).toBeGreaterThan(1000)
    expect({ isEndedWell: received.isEndedWell, isClosed: received.isClosed }).toEqual({ isEndedWell: false, isClosed: true })
    const [, id] = /x-export-id: (\S+)/i.exec(received.head)!
    expect(await stateOf(id!)).toMatchObject({ state: 'failed', rows: null, sha256: null })
  })

  test('a database that ends the query does, too', async () => {
    let isKilled = false
    const killed = readRaw(app.url, '/api/v1/tables/big/export.csv', app.tokens.viewer, 20_000, (socket, bytes) => {
      if (bytes > 100_000 && !isKilled) {
        isKilled = true
        socket.pause()
        void (async () => {
          await until('the export runs', async () => (await backends()).length > 0)
          for (const pid of await backends()) await app.deps.db.sql`select pg_terminate_backend(${pid})`
          socket.resume()
        })()
      }
    })
    const received = await killed
    expect({ isEndedWell: received.isEndedWell, isClosed: received.isClosed }).toEqual({ isEndedWell: false, isClosed: true })
    expect((await csv('?limit=1')).status).toBe(200)
  })

  test('a client that leaves ends the query', async () => {
    await readRaw(app.url, '/api/v1/tables/big/export.csv', app.tokens.viewer, 20_000, (socket) => socket.destroy())
    await until('no export runs', async () => (await backends()).length === 0)
    await until('it is recorded', async () => {
      const [last] = await app.deps.db.sql`select state from rowhouse.exports order by started_at desc limit 1`
      return last!.state === 'cancelled'
    })
  })

  test('a query that takes too long before its first row is answered in the envelope', async () => {
    const slow = await startApp({ ROWHOUSE_TRANSFER_TIMEOUT: '1s' })
    await makeContacts(slow, 'contacts')
    await slow.deps.db.sql.unsafe(
      `create function data.slow(text) returns text language sql volatile as 'select pg_sleep(3)::text';
       alter table data.contacts rename to kept; create view data.contacts as select id, data.slow(name) as name, email, age, balance, active, born, created, notes from data.kept;
       insert into data.kept (name) values ('x')`,
    )
    const problem = await expectProblem(await slow.call('/api/v1/tables/contacts/export.csv', { as: 'viewer' }), 503, 'query_timeout')
    expect(problem.message).not.toContain('copy')
  })
})

/** Connections of clients to a port of ours, as Linux lists them; null elsewhere. */
const connectionsTo = (url: string): number | null => {
  if (!existsSync('/proc/net/tcp')) return null
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')
  const established = '01'
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${port}`) && state === established).length
}

describe('readers that are slow', () => {
  test('do not keep their connection for ever', async () => {
    const small = await startApp({ ROWHOUSE_TRANSFER_IDLE_TIMEOUT: '1s' })
    await makeContacts(small, 'big')
    await fillContacts(small, 'big', 150_000)
    const before = connectionsTo(small.url)
    const stalled = readRaw(small.url, '/api/v1/tables/big/export.csv', small.tokens.viewer, 15_000, (socket) => socket.pause())
    if (before !== null) {
      await until('the connection is there', async () => connectionsTo(small.url)! > before)
      await until('it is closed', async () => connectionsTo(small.url)! <= before)
    }
    expect((await stalled).isEndedWell).toBe(false)
  })

  test('are ended when they stall, and keep nobody else from reading', async () => {
    const small = await startApp({ ROWHOUSE_TRANSFER_IDLE_TIMEOUT: '1s', ROWHOUSE_EXPORT_CONCURRENCY: '1', DATABASE_POOL_SIZE: '1' })
    await makeContacts(small, 'big')
    // More than the buffers of a connection take.
    await fillContacts(small, 'big', 200_000)
    const id = await new Promise<string>((done) => {
      void readRaw(small.url, '/api/v1/tables/big/export.csv', small.tokens.viewer, 3000, (socket, bytes) => {
        if (bytes > 1000) socket.pause()
        done('')
      })
    }).then(async () => (await small.deps.db.sql`select id from rowhouse.exports`)[0]!.id as string)
    // The one ordinary connection is free all the while.
    expect((await small.call('/api/v1/tables/big/records/1', { as: 'viewer' })).status).toBe(200)
    const second = await small.call('/api/v1/tables/big/export.csv?limit=1', { as: 'viewer' })
    expect(second.status).toBe(200)
    const told = () => json(small.call(`/api/v1/exports/${id}`, { as: 'viewer' }))
    // Its place is free a moment before its end is written down.
    await until('the end is written down', async () => (await told()).state !== 'running')
    expect(await told()).toMatchObject({ state: 'failed', sha256: null })
  })

  test('more of them than there are places get 503 and when to come again', async () => {
    const small = await startApp({ ROWHOUSE_EXPORT_CONCURRENCY: '1' })
    await makeContacts(small, 'big')
    await fillContacts(small, 'big', 200_000)
    let leave = () => {}
    const first = readRaw(small.url, '/api/v1/tables/big/export.csv', small.tokens.viewer, 20_000, (socket) => {
      socket.pause()
      leave = () => socket.destroy()
    })
    await until('the first runs', async () => (await small.deps.db.sql`select from rowhouse.exports`).length === 1)
    const refused = await small.call('/api/v1/tables/big/export.csv', { as: 'viewer' })
    expect(refused.headers.get('retry-after')).toBe('10')
    await expectProblem(refused, 503, 'unavailable')
    leave()
    await first
    expect((await small.call('/api/v1/tables/big/export.csv?limit=1', { as: 'viewer' })).status).toBe(200)
  })
})

test('after a rename that no event trigger noted has the new name', async () => {
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'renamed', columns: [{ name: 'a', type: 'text' }] } })
  expect((await csv('', 'renamed')).text).toContain(',a')
  await app.deps.db.sql.begin((tx) =>
    tx.unsafe(`select set_config('rowhouse.change_noted', pg_current_xact_id()::text, true); alter table data.renamed rename a to b`),
  )
  expect((await csv('', 'renamed')).text).toContain(',b')
})

describe('for people', () => {
  beforeAll(async () => {
    const make = (name: string, columns: object[]) => app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
    await make('firms', [
      { name: 'code', type: 'integer' },
      { name: 'name', type: 'text' },
    ])
    await make('tags', [{ name: 'label', type: 'text' }])
    await make('staff', [
      { name: 'firm', type: 'link', options: { table: 'firms' } },
      { name: 'tags', type: 'manyLinks', options: { table: 'tags' } },
      { name: 'kinds', type: 'multiSelect', options: { choices: ['a', 'b, c'] } },
      { name: 'phone', type: 'text' },
      { name: 'pay', type: 'decimal' },
      { name: 'seen', type: 'dateTime' },
      { name: 'by', type: 'createdBy' },
    ])
    const put = (table: string, body: object) => app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body })
    await put('firms', [{ code: 7, name: 'Acme' }, { code: 8 }])
    await put('tags', [{ label: 'x' }, { label: 'y' }])
    const seen = '2026-07-01T12:30:00Z'
    await put('staff', [
      { firm: 1, tags: [1, 2], kinds: ['a', 'b, c'], phone: '+47 55 50 10 01', pay: 1234.5, seen },
      { firm: 2, phone: '=1+1', pay: -0.5 },
      { phone: '+1-1' },
    ])
  })

  test('it has names, lists by commas where these can be read back, local times, and harmless formulas', async () => {
    const { text, status } = await csv(
      '?select=firm,tags,kinds,phone,pay,seen,by&order=id&for=people&timezone=Europe/Berlin&delimiter=semicolon&decimals=comma',
      'staff',
    )
    expect(status).toBe(200)
    const editor = (await json(app.call('/api/v1/auth/me', { as: 'editor' }))).user.name
    expect(text).toBe(
      `firm;tags;kinds;phone;pay;seen;by\nAcme;x, y;"[""a"",""b, c""]";+47 55 50 10 01;1234,5;2026-07-01 14:30;${editor}\n2;;;'=1+1;-0,5;;${editor}\n;;;'+1-1;;;${editor}\n`,
    )
  })

  test('percents and durations are as they are read, and are imported again', async () => {
    const columns = [
      { name: 'share', type: 'percent' },
      { name: 'took', type: 'duration' },
      { name: 'stars', type: 'rating' },
    ]
    for (const name of ['visits', 'again']) await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
    const body = [
      { share: 0.125, took: 5400, stars: 4 },
      { share: '-1.00', took: -61, stars: null },
      { share: 3, took: 360_000, stars: 1 },
    ]
    await app.call('/api/v1/tables/visits/records', { as: 'editor', body })
    const query = '?select=share,took,stars&order=id'
    const { text } = await csv(`${query}&for=people&decimals=comma&delimiter=semicolon`, 'visits')
    expect(text).toBe('share;took;stars\n12,5%;1:30:00;4\n-100%;-0:01:01;\n300%;100:00:00;1\n')
    const { text: plain } = await csv(query, 'visits')
    expect(plain).toBe('share,took,stars\n0.125,5400,4\n-1.00,-61,\n3,360000,1\n')
    for (const [file, options] of [
      [text, '?decimals=comma&delimiter=semicolon'],
      [plain, ''],
      ['share,took,stars\n12.5 %,1:30,4\n-100%,-0:01:01,\n3,100:00,1\n', ''],
    ] as const) {
      await app.call('/api/v1/tables/again/records?confirm=all', { as: 'admin', method: 'DELETE' })
      const answer = await fetch(`${app.url}/api/v1/tables/again/import${options}`, {
        method: 'POST',
        body: file,
        headers: { authorization: `Bearer ${app.tokens.editor}`, 'content-type': 'text/csv' },
      })
      expect(await answer.json()).toMatchObject({ inserted: 3 })
      const { records } = await json(
        app.call('/api/v1/tables/again/records?select=share,took,stars&order=id.desc&limit=3', { as: 'viewer' }),
      )
      expect(records.toReversed().map(Object.values)).toEqual([
        [0.125, 5400, 4],
        [-1, -61, null],
        [3, 360_000, 1],
      ])
    }
  })

  test('it stays for programs as it was', async () => {
    const { text } = await csv('?select=firm,tags,kinds,phone,pay,seen&order=id&limit=1', 'staff')
    expect(text).toBe('firm,tags,kinds,phone,pay,seen\n1,"[1,2]","[""a"",""b, c""]",+47 55 50 10 01,1234.5,2026-07-01T12:30:00+00:00\n')
  })

  test('it tells no names of tables that the token may not read', async () => {
    const { id } = await json(app.call('/api/v1/tables/staff', { as: 'viewer' }))
    const { token } = await json(app.call('/auth/tokens', { as: 'viewer', body: { name: 'narrow', scope: 'read', tables: [id] } }))
    const answer = await fetch(`${app.url}/api/v1/tables/staff/export.csv?select=firm,tags,by&order=id&limit=1&for=people`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(await answer.text()).toMatch(/^firm,tags,by\n1,"1, 2",[0-9a-f-]{36}\n$/)
  })

  test.each(['?for=dogs', '?for=people&timezone=Nowhere/At_all', "?for=people&timezone=UTC'", '?timezone=UTC', '?decimals=comma'])(
    'nothing with %s',
    async (query) => {
      expect((await csv(query, 'staff')).status).toBe(400)
    },
  )
})
