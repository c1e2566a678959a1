import { describe, expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { examplesOf } from '../support/examples'

const app = await startApp()
let [id, cursor] = ['', '']

describe.each(['history.md', 'changes.md'])('docs/%s', (document) => {
  const examples = examplesOf(document)

  test('has examples', () => expect(examples.length).toBeGreaterThan(2))

  test.each(examples.map((example) => [example.title, example]))('%s', async (_title, { method, path, headers, body, status, answer }) => {
    const filled = decodeURIComponent(path).replace('{id}', id).replace('{cursor}', encodeURIComponent(cursor))
    const response = await app.call(filled, { as: 'admin', method, headers, body })
    const got = await response.text()
    expect({ status: response.status, got }).toEqual({ status, got })
    const value = got ? JSON.parse(got) : {}
    if (answer) expect(value).toMatchObject(JSON.parse(answer))
    id = (value.changes ?? value.records)?.[0]?.id ?? id
    cursor = value.cursor ?? cursor
  })
})
