import { beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app'
import { upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'

const app = await startApp()

beforeAll(async () => {
  const columns = [
    { name: 'level', type: 'select', options: { choices: ['low', { value: 'mid', color: 'red' }] } },
    { name: 'tags', type: 'multiSelect', options: { choices: ['new', 'old'] } },
    { name: 'others', type: 'multiSelect', options: { choices: ['a, b', 'c'] } },
    { name: 'age', type: 'integer' },
  ]
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'risks', columns } })).status).toBe(201)
})

const missingIn = async (file: string, query = '') => {
  const { details } = await expectProblem(await upload(app, 'risks', file, { query, as: 'admin' }), 422, 'validation_failed')
  return (details as Record<string, unknown>).missingChoices
}

test('a file that is refused names the choices that its columns do not have', async () => {
  expect(await missingIn('level,tags\nhigh,"new, rare"\nlow,"[""odd, one"",""old"",null]"\nmid,rare\nhigh,\n')).toEqual([
    { column: 'level', choices: ['high'] },
    { column: 'tags', choices: ['odd, one', 'rare'] },
  ])
  expect(await missingIn("level\n'-odd\n", '?formulas=escape')).toEqual([{ column: 'level', choices: ['-odd'] }])
})

test('an editor, who cannot add them, does not get them', async () => {
  const { details } = await expectProblem(await upload(app, 'risks', 'level\nhigh\n', { as: 'editor' }), 422, 'validation_failed')
  expect(details).toEqual({ errorCount: 1, cellCount: 1, lineCount: 1 })
})

test.each([
  ['none is missing', 'level,age\nlow,x\n'],
  ['a list can be read in several ways', 'others\n"a, d"\n'],
  ['the cells are too many', `level\n${Array.from({ length: 51 }, (_, index) => `text ${index}\n`).join('')}`],
  ['a cell is too long', `level\n${'x'.repeat(201)}\n`],
  ['blanks surround a choice', 'level\n" low"\n'],
  ['a list is none', 'tags\n"[1"\n"{x"\n'],
])('but not where %s', async (_, file) => {
  expect(await missingIn(file)).toBeUndefined()
})
