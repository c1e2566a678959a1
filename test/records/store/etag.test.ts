import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'notes', columns: [{ name: 'text', type: 'text' }] } })

const make = async () => {
  const response = await app.call('/api/v1/tables/notes/records', { as: 'editor', body: { text: 'first' } })
  return { path: response.headers.get('location')!, etag: response.headers.get('etag')! }
}
const read = (path: string, headers: Record<string, string> = {}) => app.call(path, { as: 'viewer', headers })
const patch = (path: string, text: string, ifMatch: string) =>
  app.call(path, { as: 'editor', method: 'PATCH', body: { text }, headers: { 'if-match': ifMatch } })
const remove = (path: string, ifMatch: string) => app.call(path, { as: 'editor', method: 'DELETE', headers: { 'if-match': ifMatch } })

describe('the version of a record', () => {
  test('is the same in every answer until the record changes', async () => {
    const { path, etag } = await make()
    expect((await read(path)).headers.get('etag')).toBe(etag)
    const changed = await patch(path, 'second', etag)
    expect(changed.headers.get('etag')).not.toBe(etag)
    expect((await read(path)).headers.get('etag')).toBe(changed.headers.get('etag')!)
  })

  test.each([
    ['the same', (etag: string) => etag, 304],
    ['the same as a weak one', (etag: string) => `W/${etag}`, 304],
    ['one of several', (etag: string) => `"1", ${etag}, "2"`, 304],
    ['any', () => '*', 304],
    ['another', () => '"1"', 200],
    ['one without quotation marks', (etag: string) => etag.slice(1, -1), 200],
    ['nonsense', () => '"', 200],
  ])('with If-None-Match as %s answers %p', async (_what, header, status) => {
    const { path, etag } = await make()
    const response = await read(path, { 'if-none-match': header(etag) })
    expect({ status: response.status, etag: response.headers.get('etag') }).toEqual({ status, etag })
    expect(response.headers.get('cache-control')).toBe('private, no-cache')
    expect(await response.text()).toBe(status === 304 ? '' : '{"id":'.concat(path.split('/').at(-1)!, ',"text":"first"}'))
  })
})

describe('If-Match', () => {
  test.each([
    ['the version', (etag: string) => etag],
    ['several versions', (etag: string) => `"1", ${etag}`],
    ['any version', () => '*'],
  ])('with %s lets the change and the deletion through', async (_what, header) => {
    const { path, etag } = await make()
    const changed = await patch(path, 'second', header(etag))
    expect(changed.status).toBe(200)
    expect((await remove(path, header(changed.headers.get('etag')!))).status).toBe(204)
  })

  test.each([
    ['another version', () => '"1"'],
    ['the version as a weak one', (etag: string) => `W/${etag}`],
    ['a version that is no number', () => '"abc"'],
    ['a version beyond all numbers', () => `"${'9'.repeat(40)}"`],
    ['an empty version', () => '""'],
  ])('with %s: 412 with the record as it is, and nothing is changed', async (_what, header) => {
    const { path, etag } = await make()
    const current = await json(read(path))
    const answers = [await patch(path, 'lost', header(etag)), await remove(path, header(etag))]
    answers.push(await app.call(path, { as: 'editor', method: 'PATCH', body: {}, headers: { 'if-match': header(etag) } }))
    for (const response of answers) {
      const { details } = await expectProblem(response, 412, 'precondition_failed')
      expect(details).toEqual({ current })
    }
    expect(await json(read(path))).toEqual(current)
  })

  test.each(['abc', '"a', 'a"', '"a" "b"', '"a",', ','])('that cannot be read (%s) is a 400', async (header) => {
    const { path } = await make()
    await expectProblem(await patch(path, 'x', header), 400, 'invalid_request')
    await expectProblem(await remove(path, header), 400, 'invalid_request')
  })

  test('of a record that is gone is a 404', async () => {
    const { path, etag } = await make()
    await remove(path, etag)
    await expectProblem(await patch(path, 'x', etag), 404, 'not_found')
    await expectProblem(await remove(path, etag), 404, 'not_found')
  })

  test('of twenty changes with one version, one gets through', async () => {
    const { path, etag } = await make()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => patch(path, `writer ${n}`, etag)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)])
    const winner = answers.find(({ status }) => status === 200)!
    expect(await json(read(path))).toEqual(await json(winner))
  })
})
