import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { batchOperations } from '../../../src/records/model'
import { planLimits } from '../../../src/records/query/plan/limits'
import { startApp } from '../../support/app'
import { examplesOf } from '../../support/examples'
import { library } from '../../support/library'

/** The examples of docs/records.md are true: they are run one after the other. */
const app = await startApp({ ROWHOUSE_SCHEMAS: 'lib' })
await app.deps.db.sql.unsafe(library)
await app.deps.catalog.refresh()

const text = readFileSync(join(import.meta.dir, '../../../docs/records.md'), 'utf8')
const examples = examplesOf('records.md')

test('there are examples', () => {
  expect(examples.length).toBeGreaterThan(25)
})

test.each(examples.map((example) => [example.title, example]))('%s', async (_title, { method, path, headers, body, status, answer }) => {
  const response = await app.call(path, { as: 'editor', method, headers, body })
  const got = await response.text()
  expect({ status: response.status, got }).toEqual({ status, got })
  if (answer) expect(JSON.parse(got)).toMatchObject(JSON.parse(answer))
})

test('the limits are those of the code', () => {
  const { depth, embeddings, items, conditions, nesting, order, elements, steps } = planLimits
  const shown = (value: number) => String(value).replace(/(\d)(?=(\d{3})$)/, '$1 ')
  for (const value of [`${depth}, and ${embeddings}`, items, `${conditions}; ${nesting}`, order, shown(elements), steps, batchOperations]) {
    expect(text).toContain(`| ${value} |`)
  }
})
