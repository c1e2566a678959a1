import { afterAll, describe, expect, test } from 'bun:test'
import { json, startApp, type TestApp } from '../../support/app'
import { openEventStream, type StreamEvent } from '../../support/event-stream'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const { db } = app.deps
for (const name of ['tasks', 'notes']) {
  const columns = [
    { name: 'title', type: 'text' },
    { name: 'state', type: 'text' },
  ]
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })).status).toBe(201)
}
/** Another instance on the same database. */
const other = await startApp({}, { target: app.target, users: false })

const streams: { stop: () => void }[] = []
afterAll(() => streams.forEach((stream) => void stream.stop()))

async function follow(at: TestApp, path: string, { token = app.tokens.viewer, lastId }: { token?: string; lastId?: string } = {}) {
  const stream = await openEventStream(at.url + path, { token, ...(lastId ? { lastId } : {}) })
  streams.push(stream)
  return stream
}

const create = async (table: string, body: object, at = app) =>
  (await json(at.call(`/api/v1/tables/${table}/records`, { body, headers: { authorization: `Bearer ${app.tokens.editor}` } }))).id as number
const patch = (id: number, body: object) => app.call(`/api/v1/tables/tasks/records/${id}`, { as: 'editor', method: 'PATCH', body })
const titles = (events: StreamEvent[]) =>
  events.map(({ data }) => (data.changes as { name: string; new: unknown }[]).find(({ name }) => name === 'title')?.new)

describe('the feed', () => {
  test('tells of changes on every instance, in the order of each record, whoever makes them', async () => {
    const [here, there, all] = [
      await follow(app, '/api/v1/tables/tasks/changes'),
      await follow(other, '/api/v1/tables/tasks/changes'),
      await follow(other, '/api/v1/changes?tables=tasks,notes'),
    ]
    const id = await create('tasks', { title: 'a' })
    await patch(id, { state: 'open' })
    await create('notes', { title: 'note' })
    await db.sql`update data.tasks set state = 'by hand' where id = ${id}`
    await app.call(`/api/v1/tables/tasks/records/${id}`, { as: 'editor', method: 'DELETE' })
    const expected = ['create', 'update', 'update', 'delete']
    for (const stream of [here, there]) {
      const events = await stream.take(4)
      expect(events.map(({ data }) => data.action)).toEqual(expected)
      expect(events[1]!.data).toMatchObject({ table: 'tasks', pk: String(id), changes: [{ name: 'state', old: null, new: 'open' }] })
      expect(events[2]!.data.by).toMatchObject({ userId: null, role: expect.any(String) })
    }
    expect((await all.take(5)).map(({ data }) => [data.table, data.action])).toContainEqual(['notes', 'create'])
    for (const stream of [here, there, all]) stream.stop()
  })

  test('loses no transaction that commits late, and waits for none', async () => {
    const stream = await follow(app, '/api/v1/tables/tasks/changes')
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const late = db.sql.begin(async (tx) => {
      await tx`insert into data.tasks (title) values ('late')`
      begun.resolve()
      await release.promise
    })
    await begun.promise
    await create('tasks', { title: 'meanwhile 1' })
    expect(titles(await stream.take(1))).toEqual(['meanwhile 1'])
    await create('tasks', { title: 'meanwhile 2' })
    const [second] = await stream.take(1)
    release.resolve()
    await late
    expect(titles(await stream.take(1))).toEqual(['late'])
    // One that comes back with the event before it gets it as well.
    const again = await follow(other, '/api/v1/tables/tasks/changes', { lastId: second!.id })
    expect(titles(await again.take(1))).toEqual(['late'])
    for (const each of [stream, again]) each.stop()
  })

  test('goes on from any event, on another instance, without a gap', async () => {
    const first = await follow(app, '/api/v1/tables/tasks/changes')
    const before = first.position()
    const names = Array.from({ length: 30 }, (_, index) => `burst ${index}`)
    await Promise.all(names.map((title) => create('tasks', { title })))
    await app.call('/api/v1/tables/tasks/records', { as: 'editor', body: names.map((title) => ({ title: `${title} at once` })) })
    const events = await first.take(60)
    first.stop()
    for (const place of [-1, 0, 17, 45, 58]) {
      const lastId = place < 0 ? before : events[place]!.id
      const stream = await follow(other, '/api/v1/tables/tasks/changes', { lastId })
      const rest = await stream.take(59 - place)
      expect(rest.map(({ data }) => data.id)).toEqual(events.slice(place + 1).map(({ data }) => data.id))
      stream.stop()
    }
  })

  test('answers as JSON and as lines, at once or when there is something', async () => {
    const ask = (query: string, headers: Record<string, string> = {}) =>
      app.call(`/api/v1/tables/tasks/changes${query}`, { as: 'viewer', headers })
    const nothing = await json(ask('?wait=0'))
    expect(nothing).toEqual({ changes: [], cursor: expect.any(String), reset: false })
    const waiting = json(ask(`?wait=30&after=${encodeURIComponent(nothing.cursor)}`))
    await create('tasks', { title: 'awaited' })
    const found = await waiting
    expect(found.changes).toHaveLength(1)
    expect(await json(ask(`?wait=0&after=${encodeURIComponent(found.cursor)}`))).toMatchObject({ changes: [] })
    const lines = await ask(`?wait=0&after=${encodeURIComponent(nothing.cursor)}`, { accept: 'application/x-ndjson' })
    expect([
      lines.headers.get('content-type'),
      (await lines.text())
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).action),
    ]).toEqual(['application/x-ndjson; charset=utf-8', ['create']])
    expect(lines.headers.get('feed-cursor')).toMatch(/^\d+~/)
    expect(lines.headers.get('cache-control')).toBe('private, no-store')
    await expectProblem(await ask('?wait=61'), 400, 'invalid_request')
    for (const cursor of ['', 'x', '1~0~1:1:~~', `1~aaa~5:4:~~0`, '1~aaa~3:9:8,7~~0', `1~aaa~${'9'.repeat(20)}:${'9'.repeat(20)}:~~0`])
      await expectProblem(await ask(`?wait=0&after=${encodeURIComponent(cursor)}`), 400, 'invalid_request')
    await expectProblem(await app.call('/api/v1/tables/tasks/changes?wait=0'), 401, 'unauthenticated')
  })

  test('answers a HEAD with the headers of the stream, and follows nothing for it', async () => {
    const ask = (path: string) => app.call(path, { as: 'viewer', method: 'HEAD' })
    for (const path of ['/api/v1/changes', '/api/v1/tables/tasks/changes']) {
      const { status, headers } = await ask(path)
      expect([status, headers.get('content-type'), headers.get('content-length')]).toEqual([200, 'text/event-stream; charset=utf-8', null])
      expect(headers.get('cache-control')).toBe('private, no-store, no-transform')
    }
    expect((await ask('/api/v1/changes?after=x')).status).toBe(400)
    expect((await ask('/api/v1/tables/none/changes')).status).toBe(404)
  })

  test('of one table takes no other tables', async () => {
    await expectProblem(await app.call('/api/v1/tables/tasks/changes?wait=0&tables=notes', { as: 'viewer' }), 400, 'invalid_request')
  })

  test('takes filters and columns, and tells when a record leaves them', async () => {
    const id = await create('tasks', { title: 'filtered', state: 'closed' })
    const stream = await follow(app, '/api/v1/tables/tasks/changes?state=eq.open&select=title')
    // Each is told of the record as it is by then.
    await patch(id, { state: 'open', title: 'opened' })
    const events = await stream.take(1)
    await patch(id, { state: 'closed' })
    events.push(...(await stream.take(1)))
    await patch(id, { title: 'unseen' })
    await create('tasks', { title: 'last', state: 'open' })
    events.push(...(await stream.take(1)))
    expect(events.map(({ data }) => [data.action, data.changes])).toEqual([
      ['update', [expect.objectContaining({ name: 'title', new: 'opened' })]],
      ['leave', []],
      ['create', [expect.objectContaining({ name: 'title', new: 'last' })]],
    ])
    stream.stop()
    const ask = (query: string) => app.call(`/api/v1/tables/tasks/changes?${query}`, { as: 'viewer' })
    await expectProblem(await ask('nothing=eq.1'), 400, 'invalid_request')
    await expectProblem(await ask('order=title'), 400, 'invalid_request')
    await expectProblem(await ask('wait=0&select=titel'), 400, 'invalid_request')
    await expectProblem(await app.call('/api/v1/changes?state=eq.open', { as: 'viewer' }), 400, 'invalid_request')
  })

  test('ends with the column that it has selected', async () => {
    const { columns } = await json(app.call('/api/v1/tables/notes', { as: 'viewer' }))
    const rename = (name: string) =>
      app.call(`/api/v1/tables/notes/columns/${columns[2].id}`, { as: 'admin', method: 'PATCH', body: { name } })
    const stream = await follow(app, '/api/v1/tables/notes/changes?select=state')
    expect((await rename('progress')).status).toBe(200)
    await create('notes', { title: 'x', progress: 'y' })
    expect(await stream.ended()).toEqual([{ id: expect.any(String), event: 'end', data: { code: 'invalid_request' } }])
    expect((await rename('state')).status).toBe(200)
  })

  test('refuses values that PostgreSQL cannot read, before there is a change', async () => {
    for (const filter of ['title=fts.a%20b', 'title=fts(klingon).x', 'title=match.(', 'or=(state.eq.x,title.match.[)']) {
      for (const path of ['changes?wait=0&', 'changes?'])
        await expectProblem(await app.call(`/api/v1/tables/tasks/${path}${filter}`, { as: 'viewer' }), 400, 'invalid_request')
    }
  })

  test('with a filter for empty values has no record that is gone and never met it', async () => {
    const ask = (query: string) => json(app.call(`/api/v1/tables/tasks/changes?wait=0${query}`, { as: 'viewer' }))
    const { cursor } = await ask('')
    const remove = (id: number) => app.call(`/api/v1/tables/tasks/records/${id}`, { as: 'editor', method: 'DELETE' })
    await remove(await create('tasks', { title: 'x', state: 'done' }))
    const empty = await create('tasks', { title: 'y' })
    await remove(empty)
    const { changes } = await ask(`&after=${encodeURIComponent(cursor)}&state=is.null`)
    expect(changes.map(({ action, pk }: Record<string, string>) => [action, pk])).toEqual([['delete', String(empty)]])
  })

  test('begins anew where the log is another one, or reaches back no more', async () => {
    const ask = async (cursor: string) =>
      json(app.call(`/api/v1/tables/tasks/changes?wait=0&after=${encodeURIComponent(cursor)}`, { as: 'viewer' }))
    const { cursor } = await json(app.call('/api/v1/tables/tasks/changes?wait=0', { as: 'viewer' }))
    const [epoch, at, ...rest] = cursor.split('~')
    expect((await ask(cursor)).reset).toBe(false)
    expect(await ask([Number(epoch) + 1, at, ...rest].join('~'))).toMatchObject({ reset: true, changes: [] })
    const old = (Date.now() - 366 * 24 * 60 * 60 * 1000).toString(36)
    expect((await ask([epoch, old, ...rest].join('~'))).reset).toBe(true)
    // Read before the server was restored and its counter of transactions went back.
    const ahead = '999999999:999999999:'
    expect(await ask([epoch, at, ahead, '', '0'].join('~'))).toMatchObject({ reset: true, changes: [] })
    expect(await ask([epoch, at, rest[0], ahead, '0'].join('~'))).toMatchObject({ reset: true, changes: [] })
    // Brought here from a server whose counter of transactions was ahead.
    await db.sql`update rowhouse.changes set xid = (xid::text::bigint + 1000000)::text::xid8`
    const moved = await ask(cursor)
    expect(moved).toMatchObject({ reset: true, changes: [] })
    const stream = await follow(app, '/api/v1/tables/tasks/changes', { lastId: moved.cursor })
    await create('tasks', { title: 'here' })
    expect(titles(await stream.take(1))).toEqual(['here'])
    stream.stop()
  })
})

describe('who follows', () => {
  test('is asked for again: the stream of a token that was revoked ends', async () => {
    const { token, id } = await json(app.call('/api/v1/auth/tokens', { as: 'admin', body: { name: 'followed', scope: 'read' } }))
    const stream = await follow(other, '/api/v1/tables/tasks/changes', { token })
    await create('tasks', { title: 'seen' })
    expect(titles(await stream.take(1))).toEqual(['seen'])
    expect((await app.call(`/api/v1/auth/tokens/${id}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
    expect(await stream.ended()).toEqual([{ id: expect.any(String), event: 'end', data: { code: 'invalid_token' } }])
  })

  test('sees what the rules of access let them see, also of what was and is not any more', async () => {
    const { users } = await json(app.call('/api/v1/users', { as: 'admin' }))
    const viewer = users.find(({ email }: { email: string }) => email === 'viewer@example.org').id as string
    const stream = await follow(app, '/api/v1/tables/tasks/changes')
    const etag = (await app.call('/api/v1/access', { as: 'admin' })).headers.get('etag')!
    const rule = {
      group: 'everyone',
      table: 'tasks',
      read: 'state=eq.@me',
      create: 'all',
      update: 'all',
      columns: { read: ['id', 'title'], write: ['title', 'state'] },
    }
    const put = await app.call('/api/v1/access', { as: 'admin', method: 'PUT', headers: { 'if-match': etag }, body: { rules: [rule] } })
    expect(put.status).toBe(200)
    const as = (body: object) => app.call('/api/v1/tables/tasks/records', { as: 'admin', body })
    const hidden = (await json(as({ title: 'hidden canary', state: 'somebody' }))).id
    const change = (id: number, body: object) => app.call(`/api/v1/tables/tasks/records/${id}`, { as: 'admin', method: 'PATCH', body })
    const events: StreamEvent[] = []
    const told = async () => void events.push(...(await stream.take(1)))
    const mine = (await json(as({ title: 'mine', state: viewer }))).id
    await told()
    await change(hidden, { title: 'hidden canary 2' })
    await change(mine, { title: 'still mine' })
    await told()
    await change(mine, { state: 'somebody', title: 'secret canary' })
    await told()
    await app.call(`/api/v1/tables/tasks/records/${hidden}`, { as: 'admin', method: 'DELETE' })
    const last = (await json(as({ title: 'last', state: viewer }))).id
    await told()
    await app.call(`/api/v1/tables/tasks/records/${last}`, { as: 'admin', method: 'DELETE' })
    await told()
    expect(events.map(({ data }) => [data.action, data.pk])).toEqual([
      ['create', String(mine)],
      ['update', String(mine)],
      ['leave', String(mine)],
      ['create', String(last)],
      ['delete', String(last)],
    ])
    expect(JSON.stringify(events)).not.toMatch(/canary|state/)
    stream.stop()
  })

  test('is not told of an update of a record that is gone and that an empty value would have shown', async () => {
    const rule = { group: 'everyone', table: 'tasks', read: 'or=(state.is.null,state.neq.secret)' }
    const put = await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules: [rule] } })
    expect(put.status).toBe(200)
    const ask = (query: string) => json(app.call(`/api/v1/tables/tasks/changes?wait=0${query}`, { as: 'viewer' }))
    const { cursor } = await ask('')
    const send = (path: string, method: string, body?: object) =>
      app.call(`/api/v1/tables/tasks/records${path}`, { as: 'admin', method, body })
    const { id } = await json(send('', 'POST', { title: 'unseen', state: 'secret' }))
    expect((await send(`/${id}`, 'PATCH', { title: 'unseen, too' })).status).toBe(200)
    expect((await send(`/${id}`, 'DELETE')).status).toBe(204)
    expect((await ask(`&after=${encodeURIComponent(cursor)}`)).changes).toEqual([])
    expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules: [] } })).status).toBe(200)
  })

  test('a table that is not logged', async () => {
    await app.call('/api/v1/tables/notes/history', { as: 'admin', method: 'PUT', body: { logged: false } })
    await expectProblem(await app.call('/api/v1/tables/notes/changes?wait=0', { as: 'viewer' }), 409, 'conflict')
    await expectProblem(await app.call('/api/v1/changes?wait=0&tables=tasks,notes', { as: 'viewer' }), 409, 'conflict')
    await expectProblem(await app.call('/api/v1/changes?wait=0&tables=none', { as: 'viewer' }), 404, 'not_found')
  })
})
