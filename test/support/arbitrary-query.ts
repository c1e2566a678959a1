import fc from 'fast-check'
import {
  aggregates,
  type Filter,
  type FilterCondition,
  filterOperators,
  type Level,
  type RecordQuery,
  type SelectItem,
} from '../../src/records/query/tree'

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 })
const name = fc.oneof(
  fc.constantFrom(
    'id',
    'select',
    'order',
    'and',
    'not',
    'count',
    '__proto__',
    'constructor',
    'a.b',
    'a->b',
    'quote"d',
    'back\\slash',
    'naïve ключ 鍵',
  ),
  fc.string({ minLength: 1, unit: 'grapheme' }),
)
const value = fc.oneof(fc.constantFrom('', 'null', '(1,2)', '{a,b}', '"quoted"', '\\', 'a,b)'), fc.string({ unit: 'grapheme' }))
const word = fc.constantFrom('text', 'int4', 'double precision', 'größe')
const step = fc.record({
  as: fc.constantFrom('json' as const, 'text' as const),
  key: fc.oneof(name, fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 })),
})
const column = fc.record({ name, steps: fc.array(step, { maxLength: 3 }) })

const plain = filterOperators.filter((operator) => !['in', 'is'].includes(operator))
const condition = fc
  .tuple(
    column,
    fc.boolean(),
    fc.oneof(
      fc.record({ operator: fc.constantFrom(...plain), value }),
      fc.record({ operator: fc.constantFrom('eq', 'gt', 'like', 'imatch'), quantifier: fc.constantFrom('any', 'all'), value }),
      fc.record({ operator: fc.constantFrom('fts', 'plfts', 'phfts', 'wfts'), language: word, value }),
      fc.record({ operator: fc.constant('in'), value: fc.array(value, { maxLength: 4 }) }),
      fc.record({ operator: fc.constant('is'), value: fc.constantFrom('null', 'true', 'false', 'unknown') }),
    ),
  )
  .map(([column, isNegated, operation]) => ({ kind: 'condition', column, isNegated, ...operation }) as FilterCondition)

const filter = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    condition,
    fc.record({ kind: fc.constant('linked' as const), relation: name, condition }),
    fc.record({
      kind: fc.constantFrom('and', 'or'),
      isNegated: fc.boolean(),
      filters: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).filter

const aggregate = fc.record({ name: fc.constantFrom(...aggregates), cast: optional(word) })
const item = fc.letrec<{ item: SelectItem }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constant({ kind: 'all' }),
    fc.record({ kind: fc.constant('column'), column, alias: optional(name), cast: optional(word), aggregate: optional(aggregate) }),
    fc.record({ kind: fc.constant('count'), alias: optional(name), cast: optional(word) }),
    fc
      .record({
        kind: fc.constant('embedding'),
        relation: name,
        alias: optional(name),
        hint: optional(name),
        join: fc.constantFrom('left', 'inner'),
        isSpread: fc.boolean(),
        items: fc.array(tie('item'), { maxLength: 3 }),
      })
      .map((embedding) => (embedding.isSpread ? { ...embedding, alias: undefined } : embedding)),
  ) as fc.Arbitrary<SelectItem>,
})).item

const term = fc.record({
  relation: optional(name),
  column,
  direction: fc.constantFrom('asc' as const, 'desc' as const),
  nulls: optional(fc.constantFrom('first' as const, 'last' as const)),
})
const refinement = {
  filters: fc.array(filter, { maxLength: 3 }),
  order: fc.array(term, { maxLength: 3 }),
  limit: optional(fc.nat()),
  offset: optional(fc.nat()),
}
/** An empty level has no parameter that names it. */
const saysSomething = ({ filters, order, limit, offset, embedded }: Level) =>
  filters.length + order.length + Object.keys(embedded).length > 0 || limit !== undefined || offset !== undefined
const level = fc.letrec<{ level: Level }>((tie) => ({
  level: fc
    .record({ ...refinement, embedded: fc.oneof({ maxDepth: 2 }, fc.constant({}), fc.dictionary(name, tie('level'), { maxKeys: 2 })) })
    .filter(saysSomething),
})).level

export const recordQuery: fc.Arbitrary<RecordQuery> = fc.record({
  ...refinement,
  embedded: fc.dictionary(name, level, { maxKeys: 2 }),
  select: fc.array(item, { minLength: 1, maxLength: 4 }),
  columns: optional(fc.array(name, { minLength: 1, maxLength: 3 })),
  onConflict: optional(fc.array(name, { minLength: 1, maxLength: 3 })),
})
