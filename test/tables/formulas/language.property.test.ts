import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readFormula } from '../../../src/tables/formulas/formula'
import { clockName } from '../../../src/tables/formulas/language/clock'
import { compileFormula, renamedFormulaText } from '../../../src/tables/formulas/language/compile'
import { formulaFunctions } from '../../../src/tables/formulas/language/functions'
import { bracedName, type FormulaNode, parseFormulaText } from '../../../src/tables/formulas/language/syntax'
import { FormulaProblem } from '../../../src/tables/formulas/problem'
import { startApp } from '../../support/app'
import '../../support/properties'

const hostile = `a"b'c\\ } $$`
const columns = [
  ...[
    { name: 'text', type: 'text' },
    { name: hostile, type: 'text' },
    { name: 'number', type: 'decimal' },
    { name: 'whole', type: 'integer' },
  ],
  ...[
    { name: 'day', type: 'date' },
    { name: 'moment', type: 'dateTime' },
    { name: 'clock', type: 'time' },
    { name: 'yes', type: 'boolean' },
  ],
  { name: 'data', type: 'json' },
] as const

/** What the syntax tree says without the places. */
type Tree = ['number' | 'text' | 'column', string] | ['call', string, Tree[]] | ['unary', string, Tree] | ['binary', string, Tree, Tree]

function plain(node: FormulaNode): Tree {
  switch (node.kind) {
    case 'number':
    case 'text':
      return [node.kind, node.text]
    case 'column':
      return ['column', node.name]
    case 'call':
      return ['call', node.name, node.args.map(plain)]
    case 'unary':
      return ['unary', node.sign, plain(node.operand)]
    case 'binary':
      return ['binary', node.sign, plain(node.left), plain(node.right)]
  }
}

function print(tree: Tree): string {
  switch (tree[0]) {
    case 'number':
      return tree[1]
    case 'text':
      return `"${tree[1].replaceAll('"', '""')}"`
    case 'column':
      return bracedName(tree[1])
    case 'call':
      return `${tree[1]}(${tree[2].map(print).join(', ')})`
    case 'unary':
      return tree[1] === '%' ? `(${print(tree[2])})%` : `${tree[1]}(${print(tree[2])})`
    case 'binary':
      return `(${print(tree[2])}) ${tree[1]} (${print(tree[3])})`
  }
}

const text = fc.oneof(
  fc.constantFrom('', 'days', '2026-01-31', "it's", '"', '\\', '$$', '--', 'Europe/Berlin', 'M'),
  fc.string({ unit: 'binary', maxLength: 6 }).map((found) => found.toWellFormed().replaceAll('\0', '')),
)
const signs = ['&', '+', '-', '*', '/', '^', '=', '<>', '<', '>', '<=', '>='] as const
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(...columns).map(({ name }): Tree => ['column', name]),
    fc
      .oneof(fc.nat({ max: 40 }).map(String), fc.constantFrom('0.5', '1e9', '99999999999', '2.', '.5'))
      .map((number): Tree => ['number', number]),
    text.map((content): Tree => ['text', content]),
    fc.tuple(fc.constantFrom('-', '+', '%'), tie('tree')).map(([sign, operand]): Tree => ['unary', sign, operand]),
    fc.tuple(fc.constantFrom(...signs), tie('tree'), tie('tree')).map(([sign, left, right]): Tree => ['binary', sign, left, right]),
    fc
      .tuple(fc.constantFrom(...Object.keys(formulaFunctions)), fc.array(tie('tree'), { maxLength: 4 }))
      .map(([name, args]): Tree => ['call', name, args]),
  ),
}))

test('a printed formula is read as the same one', () => {
  fc.assert(fc.property(tree, (wanted) => expect(plain(parseFormulaText(print(wanted)))).toEqual(wanted)))
})

test('a column with another name has it everywhere, and nothing else changes', () => {
  const renamed = (node: Tree): Tree => {
    if (node[0] === 'column') return ['column', node[1] === 'text' ? hostile : node[1]]
    if (node[0] === 'call') return ['call', node[1], node[2].map(renamed)]
    if (node[0] === 'unary') return ['unary', node[1], renamed(node[2])]
    return node[0] === 'binary' ? ['binary', node[1], renamed(node[2]), renamed(node[3])] : node
  }
  fc.assert(
    fc.property(tree, (before) =>
      expect(plain(parseFormulaText(renamedFormulaText(print(before), 'text', hostile)))).toEqual(renamed(before)),
    ),
  )
})

test('any text is a formula or a problem, and soon', () => {
  const parts = [
    '{',
    '}',
    '\\',
    '"',
    "'",
    '(',
    ')',
    ',',
    ';',
    'text',
    'IF(',
    'SUM(',
    '1',
    '.',
    'e',
    '%',
    '-',
    '<',
    '=',
    '&',
    ' ',
    '\n',
    'ä',
    '😀',
    '\0',
  ]
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.array(fc.constantFrom(...parts), { maxLength: 60 }).map((found) => found.join('')),
  )
  const isAnswered = (formula: string) => {
    try {
      compileFormula(formula, columns)
    } catch (error) {
      if (!(error instanceof FormulaProblem)) throw error
    }
  }
  fc.assert(fc.property(anything, isAnswered))
  const start = performance.now()
  for (const part of parts) isAnswered(part.repeat(4000).slice(0, 4000))
  expect(performance.now() - start).toBeLessThan(5000)
})

/** With the column by which a formula reads the time. */
const known = [...columns, { name: clockName, type: 'dateTime' } as const]

const app = await startApp()
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'sheet', columns } })
const records = [
  {
    text: 'a',
    [hostile]: 'b',
    number: 1.5,
    whole: 3,
    day: '2026-01-31',
    moment: '2026-01-31T12:00:00Z',
    clock: '10:00',
    yes: true,
    data: {},
  },
  { text: '', number: -1e9, whole: -2147483648, day: '0001-01-01', moment: '9999-12-31T00:00:00Z', yes: false },
  {},
]
await app.call('/api/v1/tables/sheet/records', { as: 'editor', body: records })

test('a formula that is read has SQL that PostgreSQL takes and computes', async () => {
  let computed = 0
  await fc.assert(
    fc.asyncProperty(tree, async (wanted) => {
      const answer = await app.call('/api/v1/tables/sheet/columns', {
        as: 'admin',
        body: { name: 'f', type: 'formula', options: { formula: print(wanted) } },
      })
      if (answer.status === 201) {
        computed++
        expect((await app.call('/api/v1/tables/sheet/columns/f?confirm=f', { as: 'admin', method: 'DELETE' })).status).toBe(204)
        return
      }
      // Calendars end, and a column is not made where a record would leave its calendar.
      if (answer.status === 409) return
      const { errors } = (await answer.json()) as { errors?: { path: string }[] }
      expect({ status: answer.status, path: errors?.[0]?.path }).toEqual({ status: 422, path: '/options/formula' })
    }),
    { numRuns: Number(process.env.FORMULA_CASES ?? 60) },
  )
  expect(computed).toBeGreaterThan(5)
}, 240_000)

/** Columns with the same values as the others, each computed at each read. */
const copyOf = (name: string) => `${name.slice(0, 1)} again`
const copied = ['text', 'number', 'whole', 'day', 'moment', 'clock', 'yes']
const overCopies = (node: Tree): Tree => {
  if (node[0] === 'column') return ['column', copied.includes(node[1]) ? copyOf(node[1]) : node[1]]
  if (node[0] === 'call') return ['call', node[1], node[2].map(overCopies)]
  if (node[0] === 'unary') return ['unary', node[1], overCopies(node[2])]
  return node[0] === 'binary' ? ['binary', node[1], overCopies(node[2]), overCopies(node[3])] : node
}

test('a formula has the same values stored and computed at each read, and never makes its table unreadable', async () => {
  const add = (name: string, formula: string) =>
    app.call('/api/v1/tables/sheet/columns', { as: 'admin', body: { name, type: 'formula', options: { formula } } })
  const remove = (name: string) => app.call(`/api/v1/tables/sheet/columns/${name}?confirm=${name}`, { as: 'admin', method: 'DELETE' })
  for (const name of copied) expect((await add(copyOf(name), `IF(NOW() > DATE(2000, 1, 1), {${name}})`)).status).toBe(201)
  let compared = 0
  await fc.assert(
    fc.asyncProperty(tree, async (wanted) => {
      const made = await add('at_read', print(overCopies(wanted)))
      if (made.status !== 201) return
      const stored = await add('stored', print(wanted))
      const response = await app.call('/api/v1/tables/sheet/records?order=id', { as: 'viewer' })
      expect({ formula: print(wanted), status: response.status }).toMatchObject({ status: 200 })
      const { records: found } = (await response.json()) as { records: Record<string, unknown>[] }
      if (stored.status === 201) {
        compared++
        expect(found.map((record) => record.at_read)).toEqual(found.map((record) => record.stored))
        await remove('stored')
      }
      await remove('at_read')
    }),
    { numRuns: Number(process.env.FORMULA_CASES ?? 40) },
  )
  expect(compared).toBeGreaterThan(3)
}, 240_000)

test('the SQL of a formula is SQL that a formula may be', async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (wanted) => {
      const compiled = (() => {
        try {
          return compileFormula(print(wanted), columns)
        } catch {
          return null
        }
      })()
      if (!compiled) return
      const read = await readFormula(compiled.expression, known).catch((error) => {
        if (!(error instanceof FormulaProblem)) throw error
        return error
      })
      if (read instanceof FormulaProblem) expect(read.message).toContain('times as long')
      else expect(known.map(({ name }) => String(name))).toEqual(expect.arrayContaining(read.uses))
    }),
  )
})
