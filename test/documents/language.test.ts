import { expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { pluginsWith } from '../support/plugins'

const template = (body: string) =>
  `import { documentTemplate, t } from 'rowhouse/plugin'
export default documentTemplate({ title: 'x', public: true, allow: () => true, formats: { txt: 'a.liquid' }, ${body} })
`
const main = '{{ language }} {{ name }}'
const folder = pluginsWith({
  'mail/plain/template.ts': template(
    `params: t.Object({ name: t.String() }), load: ({ language, params }) => ({ language, name: params.name })`,
  ),
  'mail/plain/a.liquid': main,
  'mail/own/template.ts': template(
    `params: t.Object({ language: t.String() }), load: ({ language, params }) => ({ language, name: params.language })`,
  ),
  'mail/own/a.liquid': main,
  'mail/mixed/template.ts': template(`params: t.Intersect([t.Object({}), t.Object({ language: t.String() })]),
    load: ({ language, params }) => ({ language, name: params.language })`),
  'mail/mixed/a.liquid': main,
  'mail/around/template.ts': template(`load: async ({ documents }) => ({
      language: new TextDecoder().decode(await documents.render({ template: 'plain', params: { name: 'within' } })) })`),
  'mail/around/a.liquid': main,
})
const app = await startApp({}, { plugins: folder })
const path = '/api/v1/documents/mail'
const english = { 'accept-language': 'en' }

test.each([
  ['plain?name=x', 'en x'],
  ['plain?name=x&language=de', 'de x'],
  ['plain?name=x&language=de-AT%2Cen%3Bq%3D0.5', 'de x'],
  ['plain?name=x&language=fr', 'en x'],
  ['plain?name=x&language=', 'en x'],
  ['own?language=de', 'en de'],
  ['mixed?language=de', 'en de'],
  ['around?language=de', 'de within '],
])('the query may choose the language of a document, unless its template has such a parameter: %s', async (query, text) => {
  const made = await app.call(`${path}/${query}`, { headers: english })
  expect([made.status, await made.text()]).toEqual([200, text])
})

test('so may the query of posted parameters, and a form', async () => {
  const posted = await app.call(`${path}/plain?language=de`, { headers: english, body: { params: { name: 'x' } } })
  expect(await posted.text()).toBe('de x')
  const headers = { ...english, 'content-type': 'application/x-www-form-urlencoded' }
  const form = await fetch(`${app.url}${path}/plain`, { method: 'POST', headers, body: 'name=x&language=de' })
  expect(await form.text()).toBe('de x')
})
