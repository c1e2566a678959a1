import { beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { formsUserId } from '../../src/forms/service-user-id'
import { json, startApp } from '../support/app'
import { makeForm, makeTable, proofFor, recordsOf, submit } from '../support/forms'

const app = await startApp()
const two = await startApp({}, { target: app.target, users: false })

beforeAll(async () => {
  await makeTable(app, 'guests', [
    { name: 'name', type: 'text' },
    { name: 'seats', type: 'integer' },
  ])
})

const patch = (name: string, body: object) => app.call(`/api/v1/form-definitions/${name}`, { as: 'admin', method: 'PATCH', body })
const html = { accept: 'text/html' }
const fields = [{ column: 'name' }, { column: 'seats' }]

/** All that an outsider sees of a form: status and body, without what names the request. */
async function seen(name: string): Promise<unknown[]> {
  const answers = await Promise.all([
    app.call(`/api/v1/forms/${name}`),
    app.call(`/api/v1/forms/${name}`, { body: { values: {}, proof: '' } }),
    app.call(`/f/${name}`, { headers: html }),
    app.call(`/f/${name}/thanks`, { headers: html }),
  ])
  return Promise.all(
    answers.map(async (answer) => [
      answer.status,
      (await answer.text()).replace(/nonce="[^"]*"|"requestId":"[^"]*"/g, ''),
      answer.headers.get('content-security-policy')?.replace(/nonce-[^']*/g, ''),
    ]),
  )
}

test('unknown, disabled, closed, without its table and without a right: all the same', async () => {
  const unknown = await seen('nothing-here')
  expect(unknown.map((answer) => (answer as unknown[])[0])).toEqual([404, 404, 404, 404])
  const disabled = await makeForm(app, 'guests', fields, { enabled: false })
  const closed = await makeForm(app, 'guests', fields, { closesAt: '2020-01-01T00:00:00Z' })
  await makeTable(app, 'gone', [{ name: 'name', type: 'text' }])
  const gone = await makeForm(app, 'gone', [{ column: 'name' }])
  await app.call('/api/v1/tables/gone?confirm=gone', { as: 'admin', method: 'DELETE' })
  for (const name of [disabled, closed, gone, 'Not-A-Name', '%00', 'a'.repeat(300)])
    expect([name, await seen(name)]).toEqual([name, unknown])
  expect((await json(app.call(`/api/v1/form-definitions/${gone}`, { as: 'admin' }))).problems.length).toBe(1)
})

test('not open yet and full say so', async () => {
  const early = await makeForm(app, 'guests', fields, { opensAt: '2999-01-01T00:00:00Z' })
  expect((await json(app.call(`/api/v1/forms/${early}`))).message).toBe('This form is not open yet.')
  const full = await makeForm(app, 'guests', fields, { maxSubmissions: 1 })
  expect((await submit(app, full, { name: 'last' })).status).toBe(200)
  const answer = await app.call(`/f/${full}`, { headers: { ...html, 'accept-language': 'de' } })
  expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining('Dieses Formular nimmt keine Antworten mehr an.')])
  expect((await app.call(`/f/${full}/thanks`, { headers: html })).status).toBe(200)
  await patch(full, { maxSubmissions: null })
  expect((await submit(app, full, { name: 'more' })).status).toBe(200)
})

test('at most n are taken, also by two instances at once', async () => {
  const name = await makeForm(app, 'guests', fields, { maxSubmissions: 3 })
  const proofs = await Promise.all(Array.from({ length: 12 }, () => proofFor(app, name)))
  const answers = await Promise.all(
    proofs.map((proof, index) =>
      fetch(`${(index % 2 ? app : two).url}/api/v1/forms/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ values: { name: `race of ${name}` }, proof }),
      }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(200), ...Array(9).fill(409)])
  expect((await recordsOf(app, 'guests', `?name=eq.${encodeURIComponent(`race of ${name}`)}`)).length).toBe(3)
  expect((await json(app.call(`/api/v1/form-definitions/${name}`, { as: 'admin' }))).submissions).toBe(3)
})

test('a proof that one instance took is used on the other', async () => {
  const name = await makeForm(app, 'guests', fields)
  const proof = await proofFor(app, name)
  const send = (url: string) =>
    fetch(`${url}/api/v1/forms/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ values: {}, proof }),
    })
  expect([(await send(app.url)).status, (await send(two.url)).status]).toEqual([200, 422])
})

describe('with rules of access', () => {
  const rule = (create: string, columns?: object) => ({
    ...{ group: 'role:editor', table: 'ruled', read: 'none', create, update: 'none', delete: 'none' },
    ...(columns ? { columns } : {}),
  })
  const save = async (...rules: object[]) =>
    expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })).status).toBe(200)

  test('a definition needs a line that lets the service user create; without it, the form is closed', async () => {
    await makeTable(app, 'ruled', [
      { name: 'name', type: 'text' },
      { name: 'seats', type: 'integer' },
      { name: 'paper', type: 'attachment' },
    ])
    const ruled = [{ column: 'name' }, { column: 'seats' }, { column: 'paper' }]
    await save(rule('none'))
    const refused = await app.call('/api/v1/form-definitions', {
      as: 'admin',
      body: { name: 'x', table: 'ruled', title: 'x', fields: ruled },
    })
    expect([refused.status, (await json(refused)).errors]).toMatchObject([
      422,
      [{ path: '/table', message: expect.stringContaining('may not create records') }],
    ])
    await save(rule('seats=lt.5'))
    const name = await makeForm(app, 'ruled', ruled)
    expect((await submit(app, name, { name: 'few', seats: 2 })).status).toBe(200)
    const many = await submit(app, name, { name: 'many', seats: 7 })
    expect([many.status, (await json(many)).errors]).toEqual([
      422,
      [{ path: '', message: 'This form cannot accept this answer at the moment.' }],
    ])
    const body = new FormData()
    body.set('proof', await proofFor(app, name))
    body.set('f.seats', '1')
    body.set('f.paper', new File(['hello'], 'a.txt'))
    expect((await fetch(`${app.url}/api/v1/forms/${name}`, { method: 'POST', body })).status).toBe(200)
    expect((await recordsOf(app, 'ruled', '?seats=eq.1'))[0].paper).toMatchObject([{ name: 'a.txt', size: 5 }])
    await save(rule('all', { write: ['name'] }))
    expect((await app.call(`/api/v1/forms/${name}`)).status).toBe(404)
    await save(rule('none'))
    expect((await app.call(`/api/v1/forms/${name}`, { body: { values: {}, proof: '' } })).status).toBe(404)
    await save()
    expect((await app.call(`/api/v1/forms/${name}`)).status).toBe(200)
  })

  test('a rule that lets the service user create only some records is told to administrators, and a refusal to nobody else', async () => {
    const columns = ['customer', 'amount'].map((name) => ({ name, type: name === 'amount' ? 'decimal' : 'text' }))
    await makeTable(app, 'sales', [...columns, { name: 'seller', type: 'user' }, { name: 'made', type: 'createdBy' }])
    const fields = [{ column: 'customer' }, { column: 'amount' }]
    const name = await makeForm(app, 'sales', fields)
    const own = (column: string) => {
      const rule = `${column}=eq.@me`
      return { group: 'everyone', table: 'sales', read: rule, create: rule, update: rule, delete: rule }
    }
    const definition = () => json(app.call(`/api/v1/form-definitions/${name}`, { as: 'admin' }))
    await save(own('seller'))
    const notice = expect.stringContaining('lets the service user "Forms" create only some records')
    expect(await definition()).toMatchObject({ isClosed: false, problems: [notice], needsRule: true })
    expect(await json(patch(name, { title: 'Buy' }))).toMatchObject({ isClosed: false, problems: [notice] })
    const body = { name: 'sales-too', table: 'sales', title: 'Sales', fields }
    expect(await json(app.call('/api/v1/form-definitions', { as: 'admin', body }))).toMatchObject({ problems: [notice] })

    const sent = await submit(app, name, { customer: 'Ann' })
    const text = await sent.text()
    expect([sent.status, JSON.parse(text).errors]).toEqual([
      422,
      [{ path: '', message: 'This form cannot accept this answer at the moment.' }],
    ])
    expect(text).not.toMatch(/seller|rule/)
    const page = await fetch(`${app.url}/f/${name}`, {
      method: 'POST',
      headers: { 'accept-language': 'de' },
      body: new URLSearchParams({ proof: await proofFor(app, name), 'f.customer': 'Ann' }),
    })
    const shown = await page.text()
    expect(shown).toContain('<p class="bad all" role="alert">Dieses Formular kann diese Antwort derzeit nicht annehmen.</p>')
    expect(shown).toContain('value="Ann"')
    expect(app.events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []))).toContain(
      `The form "${name}" could not take an answer: You may not write such a record to this table.`,
    )

    // A column that Rowhouse fills with the service user refuses nothing.
    await save(own('made'))
    expect(await definition()).toMatchObject({ isClosed: false, problems: [] })
    expect((await submit(app, name, { customer: 'Bob' })).status).toBe(200)

    const line = JSON.parse(/<!-- example: access -->\n```json\n(.*)\n/.exec(readFileSync('docs/forms.md', 'utf8'))![1]!)
    const made = await app.call('/api/v1/groups', { as: 'admin', body: { name: line.group, members: [formsUserId] } })
    expect(made.status).toBe(201)
    await save(own('seller'), { ...line, table: 'sales' })
    expect(await definition()).toMatchObject({ isClosed: false, problems: [], needsRule: false })
    expect((await submit(app, name, { customer: 'Cora' })).status).toBe(200)
    await patch(name, { enabled: false })
    expect(await definition()).toMatchObject({ isClosed: true, problems: [] })
    await save({ group: 'role:viewer', table: 'sales', read: 'all' })
    expect(await definition()).toMatchObject({ isClosed: true, problems: [expect.stringContaining('add a rule')], needsRule: true })
    await save()
  })

  test('a service user that is disabled or a viewer closes all forms; as an administrator it is held to the rules', async () => {
    const name = await makeForm(app, 'guests', fields)
    const user = (body: object) => app.call(`/api/v1/users/${formsUserId}`, { as: 'admin', method: 'PATCH', body })
    const status = async () => (await app.call(`/api/v1/forms/${name}`)).status
    await user({ disabled: true })
    expect(await status()).toBe(404)
    await user({ disabled: false, role: 'viewer' })
    expect(await status()).toBe(404)
    await user({ role: 'admin' })
    expect(await status()).toBe(200)
    await save({ group: 'role:viewer', table: 'guests', read: 'all' })
    expect(await status()).toBe(404)
    await save()
    await user({ role: 'editor' })
    expect(await status()).toBe(200)
  })
})

describe('a form that is changed while an answer arrives', () => {
  /** Sends an answer, and makes the change once the form was found open for it, before its body is read. */
  async function changedMeanwhile(send: () => Promise<Response>, change: () => Promise<Response>): Promise<Response> {
    const { take } = app.deps.budgets
    const taking = spyOn(app.deps.budgets, 'take').mockImplementationOnce(async (budget) => {
      await take(budget)
      expect((await change()).status).toBe(200)
    })
    try {
      return await send()
    } finally {
      taking.mockRestore()
    }
  }
  const takenAs = (name: string) => recordsOf(app, 'guests', `?name=eq.${name}`)

  test('takes none after its service user was disabled or became a viewer', async () => {
    const name = await makeForm(app, 'guests', fields)
    const user = (body: object) => app.call(`/api/v1/users/${formsUserId}`, { as: 'admin', method: 'PATCH', body })
    for (const [change, back] of [
      [{ disabled: true }, { disabled: false }],
      [{ role: 'viewer' }, { role: 'editor' }],
    ] as const) {
      const answer = await changedMeanwhile(
        () => submit(app, name, { name: 'late' }),
        () => user(change),
      )
      expect([answer.status, (await user(back)).status]).toEqual([404, 200])
    }
    expect(await takenAs('late')).toEqual([])
  })

  test('refuses values and files of a field that was removed', async () => {
    await makeTable(app, 'papers', [
      { name: 'title', type: 'text' },
      { name: 'paper', type: 'attachment' },
    ])
    const values = await makeForm(app, 'guests', fields)
    const files = await makeForm(app, 'papers', [{ column: 'title' }, { column: 'paper' }])
    const body = new FormData()
    body.set('proof', await proofFor(app, files))
    body.set('f.title', 'late')
    body.set('f.paper', new File(['hello'], 'a.txt'))
    const answers = [
      await changedMeanwhile(
        () => submit(app, values, { name: 'removed', seats: 2 }),
        () => patch(values, { fields: [{ column: 'name' }] }),
      ),
      await changedMeanwhile(
        () => fetch(`${app.url}/api/v1/forms/${files}`, { method: 'POST', body }),
        () => patch(files, { fields: [{ column: 'title' }] }),
      ),
    ]
    const problem = (column: string) => [422, [{ path: `/${column}`, message: 'is not a field of this form' }]]
    const found = await Promise.all(answers.map(async (answer) => [answer.status, (await json(answer)).errors]))
    expect(found).toEqual([problem('seats'), problem('paper')])
    expect([await takenAs('removed'), await recordsOf(app, 'papers')]).toEqual([[], []])
  })

  test('takes one although it was renamed', async () => {
    const name = await makeForm(app, 'guests', fields)
    const answer = await changedMeanwhile(
      () => submit(app, name, { name: 'renamed' }),
      () => patch(name, { name: `${name}-now` }),
    )
    expect([answer.status, (await takenAs('renamed')).length]).toEqual([200, 1])
  })
})

describe('definitions', () => {
  test('are listed, changed, renamed and deleted, and each change is audited', async () => {
    const name = await makeForm(app, 'guests', fields, { thanks: 'a', sites: ['https://a.example'] })
    expect((await patch(name, { thanks: null, title: 'Other', name: `${name}-b` })).status).toBe(200)
    const found = await json(app.call(`/api/v1/form-definitions/${name}-b`, { as: 'admin' }))
    expect(found).toMatchObject({ title: 'Other', fields, url: `${app.url}/f/${name}-b`, sites: ['https://a.example'] })
    expect(found.thanks).toBeUndefined()
    expect((await app.call(`/api/v1/form-definitions/${name}`, { as: 'admin' })).status).toBe(404)
    expect((await app.call(`/api/v1/form-definitions/${name}-b`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
    const kinds = (await json(app.call('/api/v1/audit', { as: 'admin' }))).entries.flatMap((entry: { kind: string; subjectId: string }) =>
      entry.subjectId === found.id ? [entry.kind] : [],
    )
    expect(kinds).toEqual(['form_deleted', 'form_changed', 'form_created'])
  })

  test('outlive a renamed column', async () => {
    await makeTable(app, 'renamed', [{ name: 'old', type: 'text' }])
    const name = await makeForm(app, 'renamed', [{ column: 'old' }])
    expect((await app.call('/api/v1/tables/renamed/columns/old', { as: 'admin', method: 'PATCH', body: { name: 'new' } })).status).toBe(200)
    expect((await submit(app, name, { new: 'x' })).status).toBe(200)
  })

  test('say what is wrong with them', async () => {
    await makeTable(app, 'strict', [
      { name: 'needed', type: 'text', required: true },
      { name: 'made', type: 'createdAt' },
      { name: 'who', type: 'user' },
    ])
    const wrong = async (more: object) => {
      const body = { name: 'wrong', table: 'strict', title: 'x', fields: [{ column: 'needed' }], ...more }
      const answer = await app.call('/api/v1/form-definitions', { as: 'admin', body })
      return answer.status === 422 ? (await json(answer)).errors.map(({ path }: { path: string }) => path) : answer.status
    }
    expect(await wrong({ table: 'nothing' })).toEqual(['/table'])
    expect(await wrong({ fields: [{ column: 'made' }, { column: 'who' }, { column: 'id' }, { column: 'nope' }] })).toEqual([
      ...[0, 1, 2, 3].map((index) => `/fields/${index}/column`),
      '/fields',
    ])
    const conditions = ['later=eq.1', 'needed=gt.1', 'or=(needed.eq.1,needed.eq.2)', 'nonsense', 'limit=1', '']
    for (const shownIf of conditions)
      expect([shownIf, await wrong({ fields: [{ column: 'needed' }, { column: 'needed', shownIf }] })]).toEqual([
        shownIf,
        expect.arrayContaining(['/fields/1/shownIf']),
      ])
    for (const text of ['a\0', '\ud800'])
      for (const more of [{ title: text }, { thanks: text }, { fields: [{ column: 'needed', label: text }] }])
        expect(await wrong(more)).toEqual([''])
    expect((await patch(await makeForm(app, 'strict', [{ column: 'needed' }]), { description: 'a\0' })).status).toBe(422)
    expect(await wrong({ redirect: 'javascript:alert(1)' })).toEqual(['/redirect'])
    expect(await wrong({ redirect: 'http://plain.example/' })).toEqual(['/redirect'])
    const sites = [
      "https://a.example;script-src 'unsafe-inline'",
      'https://a.example, https://b.example',
      '*',
      'https://a.example/path',
      'https://a;b',
      'javascript:x',
    ]
    for (const site of sites) expect([site, await wrong({ sites: [site] })]).toEqual([site, ['/sites/0']])
    expect(await wrong({ budget: 'many' })).toEqual(['/budget'])
    expect(await wrong({ name: 'Has Space' })).toEqual(['/name'])
  })
})
