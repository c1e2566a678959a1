import { afterEach, describe, expect, test } from 'bun:test'
import { json } from '../support/app'
import { type FileView, startFiles } from '../support/attachments'

/** Attachments by the ways of records: read with names and addresses, and never written there. */
const files = await startFiles()
const letters = await files.attach('letters.txt', 'abc')
const papers = await files.attach('a "b", (c).txt', 'abc')
const ofTom = await files.attach('tom.txt', 'tom', '/api/v1/tables/pets/records/2/attachments/photos')

const cells = async () => [await files.cell('photos', 1), await files.cell('photos', 2)]
const before = await cells()

afterEach(async () => {
  expect(await cells()).toEqual(before)
  expect(files.events.filter(({ kind }) => kind === 'request_failed')).toEqual([])
})

/** Everything that somebody might send to keep, reorder, empty or steal files. */
const values: [string, unknown][] = [
  ['the files that it holds', [letters, papers]],
  ['their ids alone', [papers.id, letters.id]],
  ['fewer', [{ id: papers.id }]],
  ['none', []],
  ['null', null],
  ['a file of another record', [{ id: ofTom.id }]],
  ['a file of its own making', [{ id: crypto.randomUUID(), name: 'x', size: 1, type: 'text/html', url: 'https://example.org' }]],
  ['the same file twice', [letters, letters]],
  ['a word', letters.id],
]

describe('/api/v1 shows a cell as it is and does not take it', () => {
  test.each(values)('%s', async (_what, photos) => {
    const record = '/api/v1/tables/pets/records/1'
    const list = '/api/v1/tables/pets/records'
    for (const [method, path, body] of [
      ['PATCH', record, { photos }],
      ['PUT', record, { name: 'Rex', photos }],
      ['POST', list, { photos }],
      ['POST', list, [{ name: 'x' }, { photos }]],
      ['PATCH', `${list}?id=eq.1`, { photos }],
      ['POST', '/api/v1/batch', { operations: [{ method: 'PATCH', table: 'pets', pk: '1', body: { photos } }] }],
    ] as const) {
      const answer = await files.call(path, { as: 'editor', method, body })
      expect([method, path, answer.status]).toEqual([method, path, 422])
      expect(await answer.text()).toContain('upload and delete them one by one')
    }
  })

  test('a PUT of the other columns keeps the files', async () => {
    expect((await files.call('/api/v1/tables/pets/records/1', { as: 'editor', method: 'PUT', body: { name: 'Rex' } })).status).toBe(200)
  })
})

describe('/rest/v1', () => {
  const rest = (query: string, method = 'GET', body?: unknown, headers: Record<string, string> = {}) =>
    files.call(`/rest/v1/pets${query}`, { as: 'editor', method, headers, ...(body === undefined ? {} : { body: body as object }) })

  test('shows name and address, and never a token, also in CSV, when it came in the address', async () => {
    for (const query of ['?id=eq.1&select=photos', `?id=eq.1&select=photos&token=${files.tokens.viewer}`]) {
      const [row] = (await (await files.call(`/rest/v1/pets${query}`, query.includes('token') ? {} : { as: 'viewer' })).json()) as [
        { photos: FileView[] },
      ]
      expect(row.photos).toEqual([letters, papers])
    }
    const csv = await (
      await files.call(`/rest/v1/pets?id=eq.1&select=photos&token=${files.tokens.viewer}`, { headers: { accept: 'text/csv' } })
    ).text()
    for (const part of [letters.url, letters.name, papers.url]) expect(csv).toContain(part)
    expect(csv).not.toContain(files.tokens.viewer)
  })

  test('shows the parts that were asked for, and what a write returns', async () => {
    const parts = await json(rest('?id=eq.1&select=first:photos-%3E0-%3E%3Ename'))
    expect(parts).toEqual([{ first: 'letters.txt' }])
    const returned = await rest('?id=eq.1&select=photos', 'PATCH', { name: 'Rex' }, { prefer: 'return=representation' })
    expect(await json(returned)).toEqual([{ photos: [letters, papers] }])
  })

  test.each(values)('does not take %s', async (_what, photos) => {
    for (const [query, method, body, headers] of [
      ['?id=eq.1', 'PATCH', { photos }, {}],
      ['', 'POST', { photos }, {}],
      ['', 'POST', [{ id: 1, photos }], { prefer: 'resolution=merge-duplicates' }],
      ['?id=eq.1', 'PUT', { id: 1, name: 'Rex', photos }, {}],
      ['?columns=photos', 'POST', [{ photos }], {}],
    ] as const) {
      const answer = await rest(query, method, body, headers)
      const { code, hint } = await json(answer)
      expect([method, query, answer.status, code]).toEqual([method, query, 400, '428C9'])
      expect(hint).toContain('uploaded and deleted one by one')
    }
  })
})

describe('CSV', () => {
  const send = (path: string, text: string) =>
    fetch(`${files.url}${path}`, {
      method: 'POST',
      body: text,
      headers: { authorization: `Bearer ${files.tokens.admin}`, 'content-type': 'text/csv' },
    })
  const exported = async () => (await files.call('/api/v1/tables/pets/export.csv', { as: 'viewer' })).text()

  test('goes out and back in: files stay as they are, and the answer names the columns that were passed over', async () => {
    const text = await exported()
    const answer = await send('/api/v1/tables/pets/import?mode=upsert', text)
    expect([answer.status, await json(answer)]).toMatchObject([200, { updated: 2, ignored: ['photos', 'papers', 'icon'] }])
    expect(await exported()).toBe(text)
  })

  test.each([
    ['addresses of another record', `x (${ofTom.url})`],
    ['ids', letters.id],
    ['nothing', ''],
    ['JSON', '[]'],
  ])('with %s in a column of files changes no file', async (_what, cell) => {
    const answer = await send('/api/v1/tables/pets/import?mode=upsert', `id,name,photos\n1,Rex,"${cell}"\n`)
    expect([answer.status, await json(answer)]).toMatchObject([200, { updated: 1, ignored: ['photos'] }])
  })

  test('makes text of such a column in a new table', async () => {
    const answer = await send('/api/v1/tables/import?name=copies', await exported())
    expect(answer.status).toBe(201)
    const { records } = await json(files.call('/api/v1/tables/copies/records?limit=1', { as: 'viewer' }))
    expect(records[0].photos).toContain(letters.url)
  })
})
