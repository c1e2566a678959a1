import { beforeAll, describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { makeForm, makeTable, recordsOf, solve, submit } from '../support/forms'

const app = await startApp()

beforeAll(async () => {
  await makeTable(app, 'letters', [
    { name: 'name', type: 'text' },
    { name: 'a "quoted" name', type: 'text' },
    { name: 'kinds', type: 'multiSelect', options: { choices: ['x', 'y'] } },
    { name: 'terms', type: 'boolean' },
    { name: 'at', type: 'dateTime' },
    { name: 'photo', type: 'attachment', options: { accept: ['image/*'] } },
  ])
})

const page = (name: string, query = '', headers: Record<string, string> = {}) =>
  app.call(`/f/${name}${query}`, { headers: { accept: 'text/html', ...headers } })

const challengeOf = (text: string) => /data-challenge="([^"]+)"/.exec(text)![1]!
const proofOf = async (name: string) => solve(challengeOf(await (await page(name)).text()), 17)

const send = async (name: string, fields: [string, string | File][], headers: Record<string, string> = {}) => {
  const body = fields.some(([, value]) => typeof value !== 'string') ? new FormData() : new URLSearchParams()
  body.append('proof', await proofOf(name))
  for (const [field, value] of fields) body.append(field, value as string)
  return fetch(`${app.url}/f/${name}`, { method: 'POST', body, headers, redirect: 'manual' })
}

test('the page is one document, whose policy lets nothing else in', async () => {
  const name = await makeForm(app, 'letters', [{ column: 'name' }])
  const answer = await page(name)
  const text = await answer.text()
  const [, nonce] = /<script nonce="([^"]+)">/.exec(text)!
  expect(answer.headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  )
  expect(text).toContain('<noscript>')
  expect(text.match(/<script/g)!.length).toBe(1)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.getSetCookie()).toEqual([])
})

test('only the sites that are named may frame it, and a redirect is named, too', async () => {
  const more = { sites: ['https://www.example.org', 'http://localhost:3000'], redirect: 'https://shop.example/thanks?a=b' }
  const name = await makeForm(app, 'letters', [{ column: 'name' }], more)
  const policy = (await page(name)).headers.get('content-security-policy')!
  expect(policy).toContain('frame-ancestors https://www.example.org http://localhost:3000')
  expect(policy).toContain("form-action 'self' https://shop.example;")
  const sent = await send(name, [['f.name', 'Redirected']])
  expect([sent.status, sent.headers.get('location')]).toEqual([303, more.redirect])
})

test('such a site may also frame the page that says why the form takes no answer', async () => {
  const sites = ['https://www.example.org']
  const make = (more: object) => makeForm(app, 'letters', [{ column: 'name' }], { sites, ...more })
  const early = await make({ opensAt: '2999-01-01T00:00:00Z' })
  const full = await make({ maxSubmissions: 1 })
  const busy = await make({ budget: '1/h' })
  expect((await submit(app, full, { name: 'The only one' })).status).toBe(200)
  expect((await send(busy, [['f.name', 'The first one']])).status).toBe(303)
  const answers = [await page(early), await page(full), await send(busy, [['f.name', 'The second one']]), await page('missing')]
  const policies = answers.map((answer) => /frame-ancestors (.*)/.exec(answer.headers.get('content-security-policy')!)![1])
  expect(policies).toEqual([...Array(3).fill(sites[0]), "'none'"])
  expect(answers.map(({ status }) => status)).toEqual([409, 409, 429, 404])
})

test.each(['2026-01-31T10:00:00+01:00', '2026-01-31T09:00:00Z'])('a time with any offset is shown in UTC: %s', async (at) => {
  const name = await makeForm(app, 'letters', [{ column: 'at', prefill: true, default: at }])
  for (const query of ['', `?${new URLSearchParams({ at })}`])
    expect(await (await page(name, query)).text()).toContain(
      'type="datetime-local" id="field-0" name="f.at" aria-describedby="field-0-help" value="2026-01-31T09:00"',
    )
})

test('HTML in a definition, in choices and in values is text', async () => {
  const evil = '"><script>alert(1)</script>'
  const columns = [
    { name: 'a', type: 'select', options: { choices: [evil] } },
    { name: evil, type: 'text' },
  ]
  await makeTable(app, 'evil', columns)
  const fields = [
    { column: 'a', label: evil, help: evil },
    { column: evil, prefill: true, default: evil },
  ]
  const name = await makeForm(app, 'evil', fields, { title: evil, description: evil, thanks: evil })
  for (const answer of [
    await page(name),
    await page(name, `?${new URLSearchParams({ [evil]: evil })}`),
    await page(name, '/thanks'),
    await send(name, [['f.a', evil.repeat(2)]]),
  ]) {
    const text = await answer.text()
    expect(text).toContain('&lt;script&gt;alert(1)')
    expect(text).not.toContain('<script>alert')
  }
})

test('is in the language of the reader, and takes values from the address where a field says so', async () => {
  const fields = [{ column: 'name', prefill: true }, { column: 'a "quoted" name' }, { column: 'kinds', prefill: true }]
  const name = await makeForm(app, 'letters', fields)
  const query = `?name=Ann&kinds=y&${new URLSearchParams({ 'a "quoted" name': 'canary' })}`
  const text = await (await page(name, query, { 'accept-language': 'de' })).text()
  expect(text).toContain('<html lang="de">')
  expect(text).toContain('Absenden')
  expect(text).toContain('value="Ann"')
  expect(text).toContain('value="y" checked')
  expect(text).not.toContain('canary')
})

test('a form that is sent makes a record, and thanks', async () => {
  const fields = ['name', 'a "quoted" name', 'kinds', 'terms', 'at'].map((column) => ({ column }))
  const name = await makeForm(app, 'letters', fields)
  const sent = await send(name, [
    ['f.name', 'Sent'],
    ['f.a "quoted" name', 'q'],
    ['f.kinds', 'x'],
    ['f.kinds', 'y'],
    ['f.at', '2026-01-31T12:30'],
    ['website', ''],
  ])
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `/f/${name}/thanks`])
  const [record] = await recordsOf(app, 'letters', '?name=eq.Sent')
  expect(record).toMatchObject({ 'a "quoted" name': 'q', kinds: ['x', 'y'], terms: false, at: '2026-01-31T12:30:00+00:00' })
  expect(await (await page(name, '/thanks')).text()).toContain('Your answer has arrived.')
})

test('what does not fit stands in the page again, with what is wrong and a new challenge', async () => {
  const name = await makeForm(app, 'letters', [{ column: 'name' }, { column: 'terms', required: true }])
  const again = await send(name, [['f.name', 'Kept <b>']])
  const text = await again.text()
  expect([again.status, text]).toEqual([422, expect.stringContaining('value="Kept &lt;b&gt;"')])
  expect(text).toContain('<p class="bad" id="field-1-bad">is required</p>')
  expect(challengeOf(text)).toMatch(/^\d+\./)
})

test('choices that were unticked are not ticked again by their default, and conditions take them as empty', async () => {
  const fields = [
    { column: 'name' },
    { column: 'kinds', default: ['x'] },
    { column: 'a "quoted" name', shownIf: 'kinds=is.null', required: true },
    { column: 'terms', required: true },
  ]
  const name = await makeForm(app, 'letters', fields)
  expect(await (await page(name)).text()).toContain('value="x" checked>')
  const unticked: [string, string][] = [
    ['f.name', 'Unticked'],
    ['f.a "quoted" name', 'why'],
    ['language', 'en'],
  ]
  const again = await send(name, unticked)
  const text = await again.text()
  expect([again.status, text]).toEqual([422, expect.stringContaining('value="x"><span>')])
  expect(text).toContain('value="why"')
  expect((await send(name, [...unticked, ['f.terms', 'on']])).status).toBe(303)
  const records = await recordsOf(app, 'letters', '?name=eq.Unticked')
  expect(records).toMatchObject([{ kinds: null, 'a "quoted" name': 'why' }])
})

describe('numbers', () => {
  const send = async (name: string, language: string, values: Record<string, string>, body: FormData | URLSearchParams) => {
    const text = await (await page(name, '', { 'accept-language': language })).text()
    for (const [, input, value] of text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g))
      body.set(input!, input === 'proof' ? solve(challengeOf(text), 17) : value!)
    for (const [column, value] of Object.entries(values)) body.set(`f.${column}`, value)
    return fetch(`${app.url}/f/${name}`, { method: 'POST', body, headers: { 'accept-language': language }, redirect: 'manual' })
  }
  const types = ['decimal', 'currency', 'percent', 'float', 'integer', 'duration']
  let name = ''

  beforeAll(async () => {
    const columns = types.map((type) => ({ name: type, type, ...(type === 'currency' ? { options: { currency: 'EUR' } } : {}) }))
    await makeTable(app, 'numbers', [...columns, { name: 'why', type: 'text' }])
    const fields = types.map((column) => ({ column, prefill: true, ...(column === 'percent' ? { default: 2.555 } : {}) }))
    name = await makeForm(app, 'numbers', [...fields, { column: 'why', shownIf: 'decimal=eq.12.50' }])
  })

  test.each([
    ['de', '12,50', '-1,5', '12,5'],
    ['en', '12.50', '-1.5', '12.5'],
  ])('have the decimal mark of the page: %s', async (language, decimal, float, percent) => {
    for (const body of [new URLSearchParams(), new FormData()]) {
      const sent = await send(name, language, { decimal, currency: decimal, percent, float, integer: '7', why: language }, body)
      expect([sent.status, sent.headers.get('location')]).toEqual([303, `/f/${name}/thanks`])
    }
    const records = await recordsOf(app, 'numbers', `?why=eq.${language}&select=decimal,currency,percent,float,integer`)
    const record = { decimal: 12.5, currency: 12.5, percent: 0.125, float: -1.5, integer: 7 }
    expect(records).toEqual([record, record])
  })

  test.each([
    ['de', '1.234', 'Dezimalkomma'],
    ['de', '1.234,50', 'Dezimalkomma'],
    ['de', '1,2,3', 'muss eine Zahl sein'],
    ['en', '1,234', 'decimal point'],
    ['en', '-12,345', 'decimal point'],
    ['en', '1,234,5', 'decimal point'],
    ['en', ',5', 'decimal point'],
    ['en', '1,234.50', 'decimal point'],
  ])('with other marks are refused, and stand there as they were typed: %s %s', async (language, decimal, says) => {
    const answer = await send(name, language, { decimal }, new URLSearchParams())
    const text = await answer.text()
    expect([answer.status, /id="field-0-bad">([^<]*)/.exec(text)![1]]).toEqual([422, expect.stringContaining(says)])
    expect(text).toContain(`value="${decimal}"`)
  })

  test.each([
    ['en', '12,50', '12,5', '-1234,567'],
    ['de', '12.50', '12.5', '-1234.567'],
  ])('may have the mark of another language that can only mean decimals: %s %s', async (language, decimal, percent, float) => {
    const why = `other ${language}`
    expect((await send(name, language, { decimal, percent, float, integer: '7', why }, new URLSearchParams())).status).toBe(303)
    const records = await recordsOf(app, 'numbers', `?why=eq.${encodeURIComponent(why)}&select=decimal,percent,float`)
    expect(records).toEqual([{ decimal: 12.5, percent: 0.125, float: -1234.567 }])
    const whole = await send(name, language, { integer: '1,5' }, new URLSearchParams())
    expect(whole.status).toBe(422)
  })

  test.each([
    ['en', 'percent', '25', 0.25],
    ['de', 'percent', '7,5 %', 0.075],
    ['en', 'percent', '+.5', 0.005],
    ['en', 'duration', '90', 5400],
    ['de', 'duration', '1:30', 5400],
    ['en', 'duration', '1h 30m', 5400],
  ])('are read in the unit of the page: %s %s %s', async (language, column, typed, stored) => {
    const why = `${language} ${column} ${typed}`
    const decimal = language === 'de' ? '12,50' : '12.50'
    expect((await send(name, language, { [column]: typed, decimal, why }, new URLSearchParams())).status).toBe(303)
    expect(await recordsOf(app, 'numbers', `?why=eq.${encodeURIComponent(why)}&select=${column}`)).toEqual([{ [column]: stored }])
  })

  test('are shown in the unit of the page', async () => {
    const text = await (await page(name, '?duration=5400&percent=0.075', { 'accept-language': 'de' })).text()
    const inputValue = (column: string) => new RegExp(`name="f.${column}"[^>]* value="([^"]*)"`).exec(text)![1]
    expect([inputValue('percent'), inputValue('duration')]).toEqual(['7,5', '1:30:00'])
  })

  test('of definitions and addresses are shown with the mark of the page', async () => {
    for (const [language, shown] of Object.entries({ de: ['255,5', '3,75', '1.5'], en: ['255.5', '3.75', '1.5'] })) {
      const text = await (await page(name, '?decimal=3.75&integer=1.5', { 'accept-language': language })).text()
      const inputValue = (column: string) => new RegExp(`name="f.${column}"[^>]* value="([^"]*)"`).exec(text)![1]
      expect([inputValue('percent'), inputValue('decimal'), inputValue('integer')]).toEqual(shown)
    }
  })

  test('in JSON have a point, whatever the language', async () => {
    const german = { url: app.url, headers: { 'accept-language': 'de' } }
    expect((await submit(german, name, { decimal: '12.50', why: 'json' })).status).toBe(200)
    expect((await submit(german, name, { decimal: '12,50' })).status).toBe(422)
  })
})

describe('a problem of a date', () => {
  beforeAll(() => makeTable(app, 'visits', [{ name: 'day', type: 'date', options: { min: '2026-01-01' } }]))
  const day = { column: 'day', required: true }

  test.each([
    ['de', '20266-12-31', 'Kein Datum. Geben Sie es so ein: 31.12.2026.'],
    ['en-US,en;q=0.9', '20266-12-31', 'Not a date. Enter it like 12/31/2026.'],
    ['en-GB,en;q=0.9', '2026-02-30', 'Not a date. Enter it like 31/12/2026.'],
    ['fr-CH, en;q=0.9', '31.12.2026', 'Not a date. Enter it like 31.12.2026.'],
    ['*', '31.12.2026', 'Not a date. Enter it like 12/31/2026.'],
    ['de-AT', '2025-12-31', 'muss mindestens 01.01.2026 sein'],
    ['de', '', 'ist Pflicht'],
  ])('names days as the field shows them: %s %s', async (language, text, says) => {
    const answer = await send(await makeForm(app, 'visits', [day]), [['f.day', text]], { 'accept-language': language })
    expect([answer.status, /id="field-0-bad">([^<]*)/.exec(await answer.text())![1]]).toEqual([422, says])
  })

  test('names them for programs as they write them', async () => {
    const answer = await submit(app, await makeForm(app, 'visits', [day]), { day: '31.12.2026' })
    expect((await json(answer)).errors).toMatchObject([{ message: 'must be a day in the form YYYY-MM-DD' }])
  })
})

test('another site cannot send it, and credentials are not looked at', async () => {
  const name = await makeForm(app, 'letters', [{ column: 'name' }])
  expect((await send(name, [['f.name', 'x']], { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await send(name, [['f.name', 'x']], { origin: 'https://other.example' })).status).toBe(403)
  expect((await send(name, [['f.name', 'x']], { 'sec-fetch-site': 'same-origin', cookie: 'service_session=wrong' })).status).toBe(303)
})

test('files are taken within the limits of the form and of the column, and leave nothing behind where they are not', async () => {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
  const name = await makeForm(app, 'letters', [{ column: 'name' }, { column: 'photo', files: { most: 2, maxBytes: 1000 } }])
  const photo = (title: string, bytes: BlobPart = png) => ['f.photo', new File([bytes], title)] as [string, File]
  expect((await send(name, [['f.name', 'Photo'], photo('a.png'), photo('b.png')])).status).toBe(303)
  const [record] = await recordsOf(app, 'letters', '?name=eq.Photo')
  expect(record.photo.map((file: { name: string }) => file.name)).toEqual(['a.png', 'b.png'])
  expect((await app.call(record.photo[0].url, { as: 'admin' })).status).toBe(200)
  const statuses = [
    await send(name, [photo('a.png'), photo('b.png'), photo('c.png')]),
    await send(name, [photo('big.png', Buffer.concat([png, Buffer.alloc(2000)]))]),
    await send(name, [photo('a.txt', 'just text')]),
    await send(name, [['f.other', new File(['x'], 'x.png')]]),
  ]
  expect(statuses.map(({ status }) => status)).toEqual([422, 413, 415, 422])
  const body = new FormData()
  body.append('proof', 'none')
  body.append(...photo('a.png'))
  expect((await fetch(`${app.url}/f/${name}`, { method: 'POST', body })).status).toBe(422)
  const [counts] = await app.deps.db.query<{ files: number; loose: number }>(
    'select (select count(*)::int from rowhouse.files) as files, (select count(*)::int from rowhouse.loose_files) as loose',
  )
  expect(counts).toEqual({ files: 2, loose: 0 })
})

test('the JSON of a form says what a program needs', async () => {
  const name = await makeForm(app, 'letters', [{ column: 'name', label: 'Your name', shownIf: undefined }, { column: 'photo' }])
  expect(await json(app.call(`/api/v1/forms/${name}`))).toEqual({
    ...{ name, title: 'Ask us', description: null, challenge: expect.any(String), difficulty: 17 },
    fields: [
      { name: 'name', label: 'Your name', help: null, type: 'text', required: false, default: null, shownIf: null },
      {
        ...{ name: 'photo', label: 'photo', help: null, type: 'attachment', required: false, default: null, shownIf: null },
        files: { most: 1, maxBytes: 10_000_000, accept: ['image/*'] },
      },
    ],
  })
})
