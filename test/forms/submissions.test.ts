import { beforeAll, describe, expect, test } from 'bun:test'
import { formsUserId } from '../../src/forms/service-user-id'
import { json, startApp } from '../support/app'
import { makeForm, makeTable, proofFor, recordsOf, submit } from '../support/forms'

const app = await startApp()

const columns = [
  { name: 'name', type: 'text', required: true },
  { name: 'kind', type: 'select', options: { choices: ['question', 'other'] } },
  { name: 'detail', type: 'longText' },
  { name: 'amount', type: 'decimal' },
  { name: 'terms', type: 'boolean' },
  { name: 'email', type: 'email', unique: true },
  { name: 'secret', type: 'text' },
  { name: 'by', type: 'createdBy' },
]

beforeAll(async () => {
  await makeTable(app, 'requests', columns)
})

const problems = async (response: Response) => (await json(response)).errors

test('a submission makes a record of the service user, and answers nothing of it', async () => {
  const name = await makeForm(app, 'requests', [{ column: 'name' }, { column: 'kind' }, { column: 'amount' }], { thanks: 'Danke!' })
  const answer = await submit(app, name, { name: 'Ann', kind: 'question', amount: '12345678901234567890.5' })
  expect([answer.status, await answer.json()]).toEqual([200, { ok: true, thanks: 'Danke!' }])
  expect([answer.headers.get('etag'), answer.headers.get('location')]).toEqual([null, null])
  const [record] = await recordsOf(app, 'requests', '?name=eq.Ann&select=name,kind,amount::text,by')
  expect(record).toMatchObject({ name: 'Ann', kind: 'question', amount: '12345678901234567890.5', by: formsUserId })
  const definition = await json(app.call(`/api/v1/form-definitions/${name}`, { as: 'admin' }))
  expect(definition).toMatchObject({ submissions: 1, lastSubmissionAt: expect.any(String), problems: [] })
})

test('cookies and tokens are ignored, good and bad ones', async () => {
  const name = await makeForm(app, 'requests', [{ column: 'name' }])
  for (const authorization of [`Bearer ${app.tokens.viewer}`, 'Bearer nonsense']) {
    const answer = await submit({ url: app.url, headers: { authorization } }, name, { name: `by ${authorization}` })
    expect(answer.status).toBe(200)
  }
  const [record] = await recordsOf(app, 'requests', `?name=eq.${encodeURIComponent('by Bearer nonsense')}`)
  expect(record.by).toBe(formsUserId)
})

describe('values', () => {
  test('only fields of the form are taken', async () => {
    const name = await makeForm(app, 'requests', [{ column: 'name' }])
    const answer = await submit(app, name, { name: 'Eve', secret: 'x', id: 7, nothing: 1, __proto__x: 1 })
    expect(answer.status).toBe(422)
    expect((await problems(answer)).map(({ path, message }: { path: string; message: string }) => [path, message])).toEqual(
      ['/secret', '/id', '/nothing', '/__proto__x'].map((path) => [path, 'is not a field of this form']),
    )
    expect(await recordsOf(app, 'requests', '?name=eq.Eve')).toEqual([])
  })

  test('are required, have defaults, and fit their columns', async () => {
    const fields = [{ column: 'name' }, { column: 'terms', required: true }, { column: 'kind', default: 'other' }, { column: 'amount' }]
    const name = await makeForm(app, 'requests', fields)
    const wrong = await submit(app, name, { name: '', terms: false, amount: 'much' })
    expect([wrong.status, (await problems(wrong)).map(({ path }: { path: string }) => path)]).toEqual([422, ['/name', '/terms', '/amount']])
    expect((await submit(app, name, { name: 'Defaulted', terms: true })).status).toBe(200)
    expect(await recordsOf(app, 'requests', '?name=eq.Defaulted')).toMatchObject([{ kind: 'other', terms: true }])
  })

  test('of fields that are not shown are dropped', async () => {
    const fields = [
      { column: 'name' },
      { column: 'kind' },
      { column: 'detail', shownIf: 'kind=eq.other', required: true },
      { column: 'secret', shownIf: 'detail=not.is.null' },
    ]
    const name = await makeForm(app, 'requests', fields)
    expect((await submit(app, name, { name: 'Hidden', kind: 'question', detail: 'dropped', secret: 'dropped' })).status).toBe(200)
    expect(await recordsOf(app, 'requests', '?name=eq.Hidden')).toMatchObject([{ detail: null, secret: null }])
    expect((await problems(await submit(app, name, { name: 'Shown', kind: 'other' })))[0]).toMatchObject({ path: '/detail' })
    expect((await submit(app, name, { name: 'Shown', kind: 'other', detail: 'kept', secret: 'kept' })).status).toBe(200)
    expect(await recordsOf(app, 'requests', '?name=eq.Shown')).toMatchObject([{ detail: 'kept', secret: 'kept' }])
  })

  test('are kept as they are: formulas, HTML, NUL, huge texts', async () => {
    const name = await makeForm(app, 'requests', [{ column: 'name' }, { column: 'detail' }])
    const detail = '=HYPERLINK("https://evil.example","x")<script>alert(1)</script>'
    expect((await submit(app, name, { name: 'Formula', detail })).status).toBe(200)
    expect(await recordsOf(app, 'requests', '?name=eq.Formula')).toMatchObject([{ detail }])
    expect((await submit(app, name, { name: 'a\u0000b' })).status).toBe(422)
    expect((await submit(app, name, { name: 'Huge', detail: 'x'.repeat(2 ** 20) })).status).toBe(413)
    expect((await submit(app, name, { name: { deep: [1] }, detail: 7 })).status).toBe(422)
  })

  test('that another record has are refused without a word of it', async () => {
    const name = await makeForm(app, 'requests', [{ column: 'name' }, { column: 'email' }])
    expect((await submit(app, name, { name: 'One', email: 'one@example.org' })).status).toBe(200)
    const answer = await submit(app, name, { name: 'Two', email: 'one@example.org' })
    const text = await answer.text()
    expect([answer.status, JSON.parse(text).errors]).toEqual([422, [{ path: '/email', message: 'has a value that cannot be accepted' }]])
    expect(text).not.toMatch(/unique|another record/i)
  })

  test('of a link are those that are offered, with their names and nothing else of the records', async () => {
    const target = await makeTable(app, 'topics', [
      { name: 'title', type: 'text' },
      { name: 'canary', type: 'text' },
    ])
    await app.call('/api/v1/tables/topics/records', {
      as: 'admin',
      body: [
        { title: 'Beds', canary: 'hush' },
        { title: 'Lamps', canary: 'hush' },
      ],
    })
    await makeTable(app, 'wishes', [
      { name: 'what', type: 'text' },
      { name: 'topic', type: 'link', options: { table: target.id } },
    ])
    const refused = await app.call('/api/v1/form-definitions', {
      as: 'admin',
      body: { name: 'no-choices', table: 'wishes', title: 'x', fields: [{ column: 'topic' }] },
    })
    expect([refused.status, (await problems(refused))[0].path]).toEqual([422, '/fields/0/choices'])
    const name = await makeForm(app, 'wishes', [{ column: 'what' }, { column: 'topic', choices: true }])
    const shown = await (await fetch(`${app.url}/api/v1/forms/${name}`)).text()
    expect(shown).not.toContain('hush')
    expect(JSON.parse(shown).fields[1].choices).toEqual([
      { value: '1', label: 'Beds' },
      { value: '2', label: 'Lamps' },
    ])
    expect((await submit(app, name, { what: 'a', topic: '2' })).status).toBe(200)
    expect(await problems(await submit(app, name, { what: 'a', topic: 3 }))).toMatchObject([{ path: '/topic' }])
  })

  test('of links to many are some of those that are offered', async () => {
    const target = await makeTable(app, 'tags', [
      { name: 'title', type: 'text' },
      { name: 'canary', type: 'text' },
    ])
    await app.call('/api/v1/tables/tags/records', { as: 'admin', body: ['Urgent', 'Quiet'].map((title) => ({ title, canary: 'hush' })) })
    await makeTable(app, 'tagged', [
      { name: 'what', type: 'text' },
      { name: 'tags', type: 'manyLinks', options: { table: target.id } },
    ])
    const definition = (field: object) =>
      app.call('/api/v1/form-definitions', { as: 'admin', body: { name: 'no-tags', table: 'tagged', title: 'x', fields: [field] } })
    expect((await problems(await definition({ column: 'tags' })))[0].path).toBe('/fields/0/choices')
    expect((await problems(await definition({ column: 'tags', choices: true, default: [1] })))[0].path).toBe('/fields/0/default')
    const name = await makeForm(app, 'tagged', [{ column: 'what' }, { column: 'tags', choices: true, required: true }])
    const shown = await (await fetch(`${app.url}/api/v1/forms/${name}`)).text()
    expect(shown).not.toContain('hush')
    for (const tags of [3, [3], ['1', 3], [1, '1'], [{ id: 1 }], [], [[1]]])
      expect([tags, (await problems(await submit(app, name, { what: 'a', tags })))[0].path]).toEqual([tags, '/tags'])
    expect((await submit(app, name, { what: 'b', tags: ['2', 1] })).status).toBe(200)
    expect((await submit(app, name, { what: 'c', tags: [2] })).status).toBe(200)
    expect(await recordsOf(app, 'tagged', '?select=what,tags&order=id')).toEqual([
      { what: 'b', tags: [1, 2] },
      { what: 'c', tags: [2] },
    ])
  })
})

describe('a proof', () => {
  const send = (name: string, proof: unknown, values: object = { name: 'Proof' }) =>
    app.call(`/api/v1/forms/${name}`, { body: { values, proof } })

  test('is worth one submission, whatever came of it', async () => {
    const name = await makeForm(app, 'requests', [{ column: 'name' }])
    const proof = await proofFor(app, name)
    expect((await send(name, proof)).status).toBe(200)
    expect(await problems(await send(name, proof))).toEqual([
      { path: '/proof', message: 'was used already: send a proof for a new challenge' },
    ])
    const other = await proofFor(app, name)
    expect((await send(name, other, {})).status).toBe(422)
    expect((await problems(await send(name, other)))[0].path).toBe('/proof')
  })

  test('of another form, of nobody, and none at all are wrong', async () => {
    const [name, other] = [await makeForm(app, 'requests', [{ column: 'name' }]), await makeForm(app, 'requests', [{ column: 'name' }])]
    const foreign = await proofFor(app, other)
    const { challenge } = await json(app.call(`/api/v1/forms/${name}`))
    for (const proof of [foreign, '', 7, null, 'x:1', `${challenge}:1`, `9999999999.${'a'.repeat(16)}.${'b'.repeat(43)}:1`])
      expect(await problems(await send(name, proof))).toMatchObject([{ path: '/proof' }])
  })

  test('that is sent twice at once is taken once', async () => {
    const name = await makeForm(app, 'requests', [{ column: 'name' }])
    const proof = await proofFor(app, name)
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(name, proof)))
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
  })
})

test('whoever fills the field that people do not see is told that all went well, and nothing is kept', async () => {
  const name = await makeForm(app, 'requests', [{ column: 'name' }])
  const answer = await submit(app, name, { name: 'Robot' }, { website: 'https://spam.example' })
  expect([answer.status, (await json(answer)).ok]).toEqual([200, true])
  expect(await recordsOf(app, 'requests', '?name=eq.Robot')).toEqual([])
})

test('an address has a budget', async () => {
  const name = await makeForm(app, 'requests', [{ column: 'name' }], { budget: '2/d' })
  const statuses = [await submit(app, name, { name: 'a' }), await submit(app, name, {}), await submit(app, name, { name: 'c' })]
  expect(statuses.map(({ status }) => status)).toEqual([200, 422, 429])
  expect(Number(statuses[2]!.headers.get('retry-after'))).toBeGreaterThan(0)
})
