import { describe, expect, test } from 'bun:test'
import { json } from '../support/app'
import { firstCell, startFiles } from '../support/attachments'
import { expectProblem } from '../support/problem'

const app = await startFiles()
const makeTable = async (name: string, columns: object[], more = {}) =>
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name, columns, ...more } })).status).toBe(201)
const records = (table: string, rest = '') => `/api/v1/tables/${table}/records${rest}`
const send = (table: string, body: object, request: string) =>
  app.call(records(table), { as: 'editor', body, headers: { 'x-request-id': request } })
const patch = async (table: string, id: number, body: object) =>
  expect((await app.call(records(table, `/${id}`), { as: 'admin', method: 'PATCH', body })).status).toBe(200)
const read = (table: string, id: number) => json(app.call(records(table, `/${id}`), { as: 'viewer' }))
const undo = (request: string, query = '') => app.call(`/api/v1/changes/${request}/undo${query}`, { as: 'editor', method: 'POST' })

const link = (type: string, table: string, options = {}) => ({ type, options: { table, ...options } })
await makeTable('breeds', [{ name: 'name', type: 'text', unique: true }])
await makeTable('dogs', [
  { name: 'name', type: 'text' },
  { name: 'breed', ...link('link', 'breeds') },
  { name: 'owned', ...link('link', 'breeds', { onDelete: 'cascade' }) },
  { name: 'likes', ...link('manyLinks', 'breeds') },
])

describe('an undo that skips what has changed since', () => {
  const importDogs = async (column: string, request: string, cells: string[]) => {
    const headers = { 'x-request-id': request, 'content-type': 'text/csv' }
    const body = `name,${column}\n${cells.map((cell, index) => `dog ${index},${cell}\n`).join('')}`
    const imported = await app.call('/api/v1/tables/dogs/import?createLinked=true', { as: 'editor', method: 'POST', body, headers })
    expect(imported.status).toBe(200)
    const { records: found } = await json(app.call(`${records('dogs')}?order=id.desc&limit=${cells.length}`, { as: 'viewer' }))
    return found.reverse() as { id: number; breed: number | null }[]
  }

  test.each([['breed'], ['owned'], ['likes']])('leaves the record that its %s leads to', async (column) => {
    const request = `import-${column}`
    const [changed, other] = await importDogs(column, request, [`${request} 1`, `${request} 2`])
    await patch('dogs', changed!.id, { name: 'Bob' })
    const before = await read('dogs', changed!.id)
    expect(await json(undo(request, '?skipChanged=true'))).toMatchObject({ deleted: 2, skipped: 2 })
    expect(await read('dogs', changed!.id)).toEqual(before)
    expect((await app.call(records('dogs', `/${other!.id}`), { as: 'viewer' })).status).toBe(404)
    const { records: breeds } = await json(app.call(`${records('breeds')}?name=like.${request}*`, { as: 'viewer' }))
    expect(breeds.map(({ name }: { name: string }) => name)).toEqual([`${request} 1`])
  })

  test('leaves a changed record that others link to, and not those', async () => {
    const dogs = await importDogs('likes', 'import-both', ['"both 1,both 2"', '"both 1,both 2"'])
    const { records: breeds } = await json(app.call(`${records('breeds')}?name=like.both*&order=name`, { as: 'viewer' }))
    await patch('breeds', breeds[0].id, { name: 'both 1 renamed' })
    const { details } = await expectProblem(await undo('import-both'), 409, 'conflict')
    expect(details).toMatchObject({ count: 1 })
    expect(await json(undo('import-both', '?skipChanged=true'))).toMatchObject({ deleted: 3, skipped: 1 })
    for (const { id } of dogs) expect((await app.call(records('dogs', `/${id}`), { as: 'viewer' })).status).toBe(404)
    expect(await read('breeds', breeds[0].id)).toMatchObject({ name: 'both 1 renamed' })
  })

  test('leaves what the records that it leaves link to', async () => {
    await makeTable('clubs', [{ name: 'name', type: 'text' }])
    await makeTable('parents', [{ name: 'clubs', ...link('manyLinks', 'clubs') }])
    await makeTable('children', [
      { name: 'name', type: 'text' },
      { name: 'parent', ...link('link', 'parents') },
    ])
    const operations = [
      { method: 'POST', table: 'clubs', body: { id: 1, name: 'club' } },
      { method: 'POST', table: 'parents', body: { id: 1, clubs: [1] } },
      { method: 'POST', table: 'children', body: { id: 1, name: 'child', parent: 1 } },
    ].map(({ body: { id: _, ...body }, ...operation }) => ({ ...operation, body }))
    const made = await app.call('/api/v1/batch', { as: 'editor', body: { operations }, headers: { 'x-request-id': 'family' } })
    expect(made.status).toBe(200)
    await patch('children', 1, { name: 'changed' })
    expect(await json(undo('family', '?skipChanged=true'))).toMatchObject({ deleted: 0, skipped: 3 })
    expect(await read('parents', 1)).toMatchObject({ clubs: [1] })
  })

  test('is refused if a skipped record was made to link to another one that the request created', async () => {
    const [changed, other] = await importDogs('breed', 'import-moved', ['moved 1', 'moved 2'])
    await patch('dogs', changed!.id, { breed: other!.breed })
    const before = await read('dogs', changed!.id)
    const { details } = await expectProblem(await undo('import-moved', '?skipChanged=true'), 409, 'conflict')
    expect(details).toMatchObject({ changedSince: [{ table: 'dogs', pk: String(changed!.id) }] })
    expect(await read('dogs', changed!.id)).toEqual(before)
  })

  test('leaves a record that has another key since', async () => {
    await makeTable('codes', [{ name: 'title', type: 'text' }], { primaryKey: { name: 'code', type: 'text' } })
    const codes = ['x', 'y', 'z'].map((code) => ({ code }))
    expect((await send('codes', codes, 'codes')).status).toBe(201)
    const changed = await app.call(records('codes', '/x'), { as: 'admin', method: 'PATCH', body: { code: 'x2' } })
    expect(changed.status).toBe(200)
    expect(await json(undo('codes', '?skipChanged=true'))).toMatchObject({ deleted: 2, skipped: 1, changedSince: [{ pk: 'x' }] })
    const { records: left } = await json(app.call(records('codes'), { as: 'viewer' }))
    expect(left).toMatchObject([{ code: 'x2' }])
  })

  test('leaves the links to many of a skipped record', async () => {
    const breeds = [(await json(send('breeds', { name: 'a' }, 'a'))).id, (await json(send('breeds', { name: 'b' }, 'b'))).id]
    const { id } = await json(send('dogs', { name: 'Rex', likes: breeds }, 'made'))
    await patch('dogs', id, { name: 'Max' })
    expect(await json(undo('made', '?skipChanged=true'))).toMatchObject({ deleted: 0, skipped: 1 })
    expect(await read('dogs', id)).toMatchObject({ name: 'Max', likes: breeds })
  })
})

describe('an undo', () => {
  test('takes back an upload, and the deletion of a file', async () => {
    const file = await app.attach('a.txt', 'contents')
    const { requests } = await json(app.call('/api/v1/tables/pets/history', { as: 'editor' }))
    expect(await json(undo(requests[0].requestId))).toMatchObject({ updated: 1 })
    expect(await app.cell('photos')).toEqual([])
    await expectProblem(await undo(requests[0].requestId), 409, 'conflict')

    const second = await app.attach('b.txt', 'more contents')
    const headers = { 'x-request-id': 'delete-file' }
    const deleted = await app.call(`${firstCell}/photos/${second.id}`, { as: 'editor', method: 'DELETE', headers })
    expect(deleted.status).toBe(204)
    expect(await json(undo('delete-file'))).toMatchObject({ updated: 1 })
    expect((await app.cell('photos')).map(({ id }) => id)).toEqual([second.id])
    expect(file.id).not.toBe(second.id)
  })

  test('counts no record whose changed column is gone', async () => {
    await makeTable('short', [
      { name: 'a', type: 'text' },
      { name: 'b', type: 'text' },
    ])
    const { id } = await json(send('short', { a: '1', b: '1' }, 'short-made'))
    const headers = { 'x-request-id': 'short-changed' }
    await app.call(records('short', `/${id}`), { as: 'editor', method: 'PATCH', body: { a: '2' }, headers })
    await app.call('/api/v1/tables/short/columns/a?confirm=a', { as: 'admin', method: 'DELETE' })
    expect(await json(undo('short-changed'))).toMatchObject({ updated: 0 })
  })
})

describe('an undo of changes from before the log of a table was off', () => {
  const setLog = async (table: string, logged: boolean) =>
    expect((await app.call(`/api/v1/tables/${table}/history`, { as: 'admin', method: 'PUT', body: { logged } })).status).toBe(204)
  const unlogged = async (table: string, change: () => Promise<void>) => {
    await setLog(table, false)
    await change()
    await setLog(table, true)
  }

  test('leaves what was changed meanwhile', async () => {
    await makeTable('cats', [
      { name: 'name', type: 'text' },
      { name: 'age', type: 'integer' },
    ])
    expect((await send('cats', [{ name: 'a' }, { name: 'b' }, { name: 'c' }], 'cats-made')).status).toBe(201)
    const headers = { 'x-request-id': 'cats-named' }
    const named = await app.call(records('cats', '?id=in.(1,2)'), { as: 'editor', method: 'PATCH', body: { name: 'x' }, headers })
    expect(named.status).toBe(200)
    await unlogged('cats', () => patch('cats', 1, { name: 'unseen' }))
    const { details } = await expectProblem(await undo('cats-named'), 409, 'conflict')
    expect(details).toEqual({ count: 1, changedSince: [] })
    expect(await json(undo('cats-named', '?skipChanged=true'))).toMatchObject({ updated: 1, skipped: 1 })
    expect([await read('cats', 1), await read('cats', 2)]).toMatchObject([{ name: 'unseen' }, { name: 'b' }])
    await unlogged('cats', () => patch('cats', 3, { age: 3 }))
    expect(await json(undo('cats-made', '?skipChanged=true&dryRun=true'))).toMatchObject({ deleted: 0, skipped: 3 })
  })

  test('leaves what was changed since the log is off', async () => {
    await makeTable('cows', [{ name: 'name', type: 'text' }])
    await send('cows', { name: 'a' }, 'cows-made')
    await setLog('cows', false)
    await patch('cows', 1, { name: 'unseen' })
    await expectProblem(await undo('cows-made'), 409, 'conflict')
    expect(await read('cows', 1)).toMatchObject({ name: 'unseen' })
  })

  test('is done where nobody changed a record meanwhile', async () => {
    await makeTable('birds', [
      { name: 'name', type: 'text' },
      { name: 'weight', type: 'decimal' },
      { name: 'seen', type: 'dateTime' },
      { name: 'notes', type: 'json' },
      { name: 'changed', type: 'updatedAt' },
      { name: 'likes', ...link('manyLinks', 'breeds') },
    ])
    const { id } = await json(send('breeds', { name: 'of birds' }, 'breed-made'))
    const bird = { name: 'a', weight: 1.5, seen: '2026-11-28T10:00:00.5Z', notes: { b: [1.5], a: String.raw`\u0000` }, likes: [id] }
    expect((await send('birds', bird, 'bird-made')).status).toBe(201)
    await unlogged('birds', async () => {})
    expect(await json(undo('bird-made'))).toMatchObject({ deleted: 1, skipped: 0 })
  })
})
