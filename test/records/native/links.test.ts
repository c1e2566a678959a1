import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const make = async (body: object) => {
  const response = await app.call('/api/v1/tables', { as: 'admin', body })
  if (response.status !== 201) throw new Error(await response.text())
}
await make({ name: 'labels', columns: [{ name: 'name', type: 'text' }] })
await make({
  name: 'tasks',
  columns: [
    { name: 'title', type: 'text' },
    { name: 'labels', type: 'manyLinks', options: { table: 'labels' } },
    { name: 'by', type: 'createdBy' },
    { name: 'last', type: 'updatedBy' },
    { name: 'made', type: 'createdAt' },
    { name: 'changed', type: 'updatedAt' },
  ],
})
await app.call('/api/v1/tables/labels/records', { as: 'editor', body: [{ name: 'red' }, { name: 'green' }, { name: 'blue' }] })

const tasks = '/api/v1/tables/tasks/records'
type Options = { method?: string; body?: unknown; headers?: Record<string, string>; as?: 'admin' | 'editor' }
const call = (path: string, { as = 'editor', ...options }: Options = {}) => app.call(`${tasks}${path}`, { as, ...options })
const userId = async (role: 'admin' | 'editor') => (await json(app.call('/auth/me', { as: role }))).user.id

describe('links to many', () => {
  test('are an array of keys, and replaced as a set', async () => {
    const response = await call('', { body: { title: 'one', labels: [2, '1'] } })
    const made = await json(response.clone())
    expect({ status: response.status, labels: made.labels }).toEqual({ status: 201, labels: [1, 2] })
    const path = `/${made.id}`
    expect((await json(call(path))).labels).toEqual([1, 2])
    expect((await json(call(path, { method: 'PATCH', body: { labels: [3] } }))).labels).toEqual([3])
    expect((await json(call(path, { method: 'PATCH', body: { title: 'other' } }))).labels).toEqual([3])
    expect((await json(call(path, { method: 'PUT', body: { title: 'put', labels: [1, 3] } }))).labels).toEqual([1, 3])
    expect((await json(call(path, { method: 'PATCH', body: { labels: [] } }))).labels).toEqual([])
  })

  test('that a PUT does not name become empty, as its other columns get their defaults', async () => {
    const { id } = await json(call('', { body: { title: 'linked', labels: [1, 2] } }))
    const replaced = await json(call(`/${id}`, { method: 'PUT', body: { title: 'put' } }))
    expect(replaced).toMatchObject({ title: 'put', labels: [] })
    expect((await json(call(`/${id}`))).labels).toEqual([])
    await call(`/${id}`, { method: 'PATCH', body: { labels: [3] } })
    const operation = { method: 'PUT', table: 'tasks', pk: String(id), body: { title: 'batch' } }
    await json(app.call('/api/v1/batch', { as: 'editor', body: { operations: [operation] } }))
    expect(await json(call(`/${id}`))).toMatchObject({ title: 'batch', labels: [] })
    const versions = { 'if-none-match': '*' }
    await call(`/${id}`, { method: 'PATCH', body: { labels: [3] } })
    expect((await call(`/${id}`, { method: 'PUT', body: { title: 'new' }, headers: versions })).status).toBe(412)
    expect(await json(call(`/${id}`))).toMatchObject({ title: 'batch', labels: [3] })
    expect(await json(call('/77', { method: 'PUT', body: { title: 'made' }, headers: versions }))).toMatchObject({ id: 77, labels: [] })
  })

  test('of many records at once, and of those that name none', async () => {
    const made = await json(call('', { body: [{ title: 'a', labels: [1] }, { title: 'b' }, { title: 'c', labels: [2, 3] }] }))
    expect(made.map(({ title, labels }: { title: string; labels: number[] }) => [title, labels])).toEqual([
      ['a', [1]],
      ['b', []],
      ['c', [2, 3]],
    ])
    const done = await call('?title=in.(a,b)&select=title,labels', {
      method: 'PATCH',
      body: { labels: [2] },
      headers: { prefer: 'return=representation' },
    })
    expect(await json(done)).toEqual({
      affected: 2,
      records: [
        { title: 'a', labels: [2] },
        { title: 'b', labels: [2] },
      ],
    })
  })

  test('are filtered like arrays, and embedded by the column’s name and by the table’s', async () => {
    await call('', { body: { title: 'deep', labels: [1, 2] } })
    const { records } = await json(call('?title=eq.deep&labels=cs.{1}&select=title,labels(name)&labels.order=name'))
    expect(records).toEqual([{ title: 'deep', labels: [{ name: 'green' }, { name: 'red' }] }])
    const reverse = await json(
      app.call('/api/v1/tables/labels/records?name=eq.red&select=name,tasks(title)&tasks.title=eq.deep', { as: 'viewer' }),
    )
    expect(reverse.records).toEqual([{ name: 'red', tasks: [{ title: 'deep' }] }])
  })

  test('that lead nowhere are a 409, and nothing is written', async () => {
    const before = (await json(call('?count=exact&limit=1'))).totalCount
    const { errors } = await expectProblem(await call('', { body: { title: 'lost', labels: [1, 999] } }), 409, 'conflict')
    expect(errors).toEqual([{ path: '/labels', message: 'breaks a link' }])
    expect((await json(call('?count=exact&limit=1'))).totalCount).toBe(before)
    for (const labels of ['red', { a: 1 }, ['x'], [null], [1.5]]) {
      expect((await call('', { body: { title: 'wrong', labels } })).status).toBe(422)
    }
  })

  test('keep every digit of keys that JavaScript would round, whoever writes them, and however', async () => {
    await make({ name: 'large', primaryKey: { name: 'id', type: 'bigint' }, columns: [] })
    await make({ name: 'pointing', columns: [{ name: 'to', type: 'manyLinks', options: { table: 'large' } }] })
    const [one, two] = ['1234567890123456789', '1234567890123456800']
    await app.deps.db.query(`insert into data.large values (${one}), (${two}), (1)`)
    const [records, rest] = ['/api/v1/tables/pointing/records', '/rest/v1/pointing']
    const body = (keys: string[]) => `{"to": [${keys.join(', ')}]}`
    const batch = (operation: object, set: string[]) =>
      JSON.stringify({ operations: [{ table: 'pointing', ...operation, body: 'body' }] }).replace('"body":"body"', `"body":${body(set)}`)
    const writes: [string, (set: string[]) => Options, string][] = [
      [records, (set) => ({ body: body(set) }), 'new'],
      [records, (set) => ({ body: `[${body(set)}]` }), 'new'],
      [`${records}/1`, (set) => ({ method: 'PATCH', body: body(set) }), '1'],
      [`${records}/1`, (set) => ({ method: 'PUT', body: body(set) }), '1'],
      [`${records}?id=eq.1`, (set) => ({ method: 'PATCH', body: body(set) }), '1'],
      ['/api/v1/batch', (set) => ({ body: batch({ method: 'POST' }, set) }), 'new'],
      ['/api/v1/batch', (set) => ({ body: batch({ method: 'PUT', pk: '1' }, set) }), '1'],
      [rest, (set) => ({ body: body(set) }), 'new'],
      [`${rest}?id=eq.1`, (set) => ({ method: 'PATCH', body: body(set) }), '1'],
    ]
    for (const [path, sent, id] of writes) {
      for (const set of [[one], [two], [one, two], ['1.0', one], ['1e0', `"${two}"`]]) {
        const { status } = await app.call(path, { as: 'editor', ...sent(set) })
        const listed = await app.call(`${records}?select=to&${id === 'new' ? 'order=id.desc&limit=1' : 'id=eq.1'}`, { as: 'editor' })
        const [, keys = ''] = /"to":\[(.*?)\]/.exec(await listed.text()) ?? []
        const expected = set.map((key) => key.replaceAll('"', '').replace(/^1(\.0|e0)$/, '1')).sort()
        expect({ path, ok: status < 300, keys: keys.split(',').sort() }).toEqual({ path, ok: true, keys: expected })
      }
    }
    const { errors } = await expectProblem(await app.call(records, { as: 'editor', body: body([one, one]) }), 422, 'validation_failed')
    expect(errors).toEqual([{ path: '/to', message: 'must not name a record twice' }])
  })

  test('are part of the version of the record', async () => {
    const response = await call('', { body: { title: 'versioned', labels: [1] } })
    const { id } = await json(response.clone())
    const etag = response.headers.get('etag')!
    expect((await call(`/${id}`)).headers.get('etag')).toBe(etag)
    expect((await call(`/${id}`, { method: 'PATCH', body: { labels: [2] }, headers: { 'if-match': '"0"' } })).status).toBe(412)
    const changed = await call(`/${id}`, { method: 'PATCH', body: { labels: [2] }, headers: { 'if-match': etag } })
    expect(changed.status).toBe(200)
    expect((await call(`/${id}`)).headers.get('etag')).toBe(changed.headers.get('etag')!)
    expect((await call(`/${id}`, { headers: { 'if-none-match': etag } })).status).toBe(200)
  })

  test('of a dry run are undone', async () => {
    const { id } = await json(call('', { body: { title: 'dry', labels: [1] } }))
    expect((await json(call(`/${id}?dryRun=true`, { method: 'PATCH', body: { labels: [2] } }))).labels).toEqual([2])
    expect((await json(call(`/${id}`))).labels).toEqual([1])
  })

  test('go with their record', async () => {
    const { id } = await json(call('', { body: { title: 'gone', labels: [1] } }))
    expect((await call(`/${id}`, { method: 'DELETE' })).status).toBe(204)
  })
})

describe('who made and who changed a record', () => {
  test('is filled in, and cannot be sent', async () => {
    const [admin, editor] = [await userId('admin'), await userId('editor')]
    const made = await json(call('', { as: 'admin', body: { title: 'x' } }))
    expect({ by: made.by, last: made.last }).toEqual({ by: admin, last: admin })
    const changed = await json(call(`/${made.id}`, { method: 'PATCH', body: { title: 'y' } }))
    expect({ by: changed.by, last: changed.last, made: changed.made }).toEqual({ by: admin, last: editor, made: made.made })
    expect(changed.changed >= made.changed).toBe(true)
    const replaced = await json(call(`/${made.id}`, { method: 'PUT', body: { title: 'z' } }))
    expect({ by: replaced.by, last: replaced.last, made: replaced.made }).toEqual({ by: admin, last: editor, made: made.made })
    for (const name of ['by', 'last', 'made', 'changed']) {
      const { errors } = await expectProblem(await call('', { body: { title: 'x', [name]: null } }), 422, 'validation_failed')
      expect(errors).toEqual([{ path: `/${name}`, message: 'is filled in by the service and cannot be sent' }])
    }
    await call(`?id=eq.${made.id}`, { as: 'admin', method: 'PATCH', body: { title: 'bulk' } })
    expect((await json(call(`/${made.id}`))).last).toBe(admin)
    const [one, other] = await Promise.all([call('', { as: 'admin', body: { title: 'p' } }), call('', { body: { title: 'q' } })])
    expect([(await json(one)).by, (await json(other)).by]).toEqual([admin, editor])
  })
})
