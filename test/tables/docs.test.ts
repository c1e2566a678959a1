import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { columnTypeNames, columnTypes } from '../../src/tables/column-types'
import { allowedFunctions } from '../../src/tables/formulas/allowed'
import { startApp } from '../support/app'
import { examplesOf } from '../support/examples'

const app = await startApp()
const text = readFileSync(join(import.meta.dir, '../../docs/tables.md'), 'utf8')
const examples = examplesOf('tables.md')

describe('docs/tables.md', () => {
  test('has examples', () => expect(examples.length).toBeGreaterThan(25))

  test.each(examples.map((example) => [example.title, example]))('%s', async (_title, { method, path, headers, body, status, answer }) => {
    const response = await app.call(path, { as: 'admin', method, headers, body })
    const got = await response.text()
    expect({ status: response.status, got }).toEqual({ status, got })
    if (answer) expect(JSON.parse(got)).toMatchObject(JSON.parse(answer))
  })

  test('names every type with its options, and every function', () => {
    for (const name of columnTypeNames) {
      expect(text).toContain(`\`${name}\``)
      for (const option of Object.keys(columnTypes[name].options.properties))
        expect({ name, option, said: text.includes(`\`${option}\``) || text.includes(`options.${option}`) }).toMatchObject({ said: true })
    }
    for (const name of allowedFunctions) expect({ name, said: text.includes(`\`${name}\``) }).toEqual({ name, said: true })
  })
})
