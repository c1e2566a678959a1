import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { startApp } from '../support/app'
import { makeTable, recordsOf } from '../support/forms'

const text = readFileSync(resolve(import.meta.dir, '../../docs/forms.md'), 'utf8')
const example = (name: string) => new RegExp(`<!-- example: ${name} -->\n\`\`\`\\w+\n([\\s\\S]*?)\`\`\``).exec(text)![1]!

test('the example of docs/forms.md works as it is written', async () => {
  const app = await startApp()
  await makeTable(app, 'repairs', [
    { name: 'name', type: 'text' },
    { name: 'kind', type: 'select', options: { choices: ['heating', 'window', 'other'] } },
    { name: 'detail', type: 'longText' },
    { name: 'photos', type: 'attachment' },
  ])
  const made = await app.call('/api/v1/form-definitions', { as: 'admin', body: JSON.parse(example('definition')) })
  expect(made.status).toBe(201)
  const run = Object.getPrototypeOf(async () => {}).constructor('url', `${example('program')}\nreturn answer`)
  const answer: Response = await run(app.url)
  expect([answer.status, await answer.json()]).toEqual([200, { ok: true, thanks: 'Thank you. We will be in touch.' }])
  expect(await recordsOf(app, 'repairs')).toMatchObject([{ name: 'Ann', kind: 'heating', detail: null }])
})
