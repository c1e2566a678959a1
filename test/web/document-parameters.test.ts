import { expect, test } from 'bun:test'
import { initialInput, toParameterValues, toUrlParameters } from '../../src/web/browser/pages/documents/schema-values'

const schema = { properties: { records: { type: 'array', items: { type: 'string' } }, one: { type: 'string' } } }

test.each([
  [['a', 'b'], 'a\nb'],
  [['line\nbreak', 'b'], '["line\\nbreak","b"]'],
  [['carriage\rreturn'], '["carriage\\rreturn"]'],
  [['', ' '], '[""," "]'],
  [['["a"]'], '["[\\"a\\"]"]'],
  [['[1]', '{'], '[1]\n{'],
])('the values %j of a list come back from the text of their field', (records, text) => {
  const typed = initialInput(schema, new URLSearchParams(records.map((value) => ['records', value])))
  expect(typed.records).toBe(text)
  expect(toUrlParameters(schema, typed)).toEqual(records.map((value): [string, string] => ['records', value]))
  expect(toParameterValues(schema, typed)).toEqual({ records })
})

test('blank lines between typed values count for nothing', () => {
  expect(toParameterValues(schema, { records: 'a\n\n  \nb', one: 'x' })).toEqual({ records: ['a', 'b'], one: 'x' })
})
