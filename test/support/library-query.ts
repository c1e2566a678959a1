import fc from 'fast-check'
import {
  aggregates,
  type Filter,
  type FilterCondition,
  filterOperators,
  type JsonStep,
  type OrderTerm,
  type RecordQuery,
  type SelectItem,
} from '../../src/records/query/tree'

/**
 * Queries of the schema in `library.ts` that are mostly valid: existing names, existing relationships, and values of
 * all kinds for any column.
 */
const columns: Record<string, string[]> = {
  authors: ['id', 'name', 'born', 'country', 'mood', 'facts', 'tags', 'active'],
  books: ['id', 'title', 'author_id', 'editor_id', 'price', 'pages', 'published', 'sold', 'words'],
  topics: ['id', 'name', 'parent_id'],
  countries: ['code', 'name'],
  passports: ['number', 'author_id'],
  log: ['at', 'what'],
}
/** The possible embeddings, with the hints that they need. */
const relations: Record<string, [relation: string, hint: string | undefined, table: string][]> = {
  authors: [
    ['books', 'books_author_id_fkey', 'books'],
    ['passports', undefined, 'passports'],
    ['countries', undefined, 'countries'],
  ],
  books: [
    ['author_id', undefined, 'authors'],
    ['authors', 'editor_id', 'authors'],
    ['topics', undefined, 'topics'],
  ],
  topics: [
    ['parent_id', undefined, 'topics'],
    ['topics', undefined, 'topics'],
    ['books', undefined, 'books'],
  ],
  countries: [['authors', undefined, 'authors']],
  passports: [['authors', undefined, 'authors']],
  log: [],
}
export const tables = Object.keys(columns)

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const values = [
  '1',
  '2',
  '-5',
  '9.9',
  '1e400',
  '99999999999999999999',
  'NaN',
  'Emma',
  'E*',
  '%',
  '\\',
  '[',
  '(',
  'true',
  'null',
  'great',
  '2020-01-01',
]
values.push(
  '[1,2]',
  '{novel}',
  '{1,2}',
  '{',
  '{"n":5}',
  '"',
  "'",
  '',
  'a b',
  'a & b',
  '[2020-01-01,2021-01-01)',
  'infinity',
  '{{1},{2}}',
  '$1',
  '--',
  ';',
)
const value = fc.oneof(fc.constantFrom(...values), fc.string({ unit: 'grapheme', maxLength: 8 }))
const cast = fc.constantFrom('text', 'int', 'numeric', 'date', 'jsonb', 'text[]', 'mood', 'lib.mood', 'bytea', 'nothing', 'timestamptz')
const key = fc.oneof(fc.constantFrom('n', 'prize', 'years', 0, 1, -1, '"'), fc.string({ minLength: 1, maxLength: 4 }))

const column = (table: string) =>
  fc.record({
    name: fc.oneof(
      { weight: 40, arbitrary: fc.constantFrom(...columns[table]!) },
      { weight: 1, arbitrary: fc.constantFrom('nmae', 'books', 't1', 'p') },
    ),
    steps: fc.oneof(
      { weight: 6, arbitrary: fc.constant<JsonStep[]>([]) },
      { weight: 1, arbitrary: fc.array(fc.record({ as: fc.constantFrom('json' as const, 'text' as const), key }), { maxLength: 3 }) },
    ),
  })

/** The operators and values that fit a column. */
const fitting: Record<string, [operators: string[], values: string[]]> = {
  number: [
    ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'isdistinct'],
    ['1', '2', '-5', '300', ' 7 ', '1800'],
  ],
  text: [
    ['eq', 'neq', 'gt', 'lt', 'like', 'ilike', 'match', 'imatch', 'fts', 'plfts', 'wfts', 'phfts'],
    ['Emma', 'E*', '%', 'a', 'Austen', 'UK', "'"],
  ],
  range: [
    ['cs', 'cd', 'ov', 'sl', 'sr', 'nxl', 'nxr', 'adj', 'eq'],
    ['[2020-01-01,2021-01-01)', 'empty', '(,)'],
  ],
  list: [
    ['cs', 'cd', 'ov', 'eq', 'neq'],
    ['{novel}', '{}', '{a,"b c",null}'],
  ],
  date: [
    ['eq', 'gt', 'lte'],
    ['2020-01-01', 'infinity', '1815-12-23'],
  ],
  json: [
    ['cs', 'cd', 'eq', 'gt'],
    ['{"n":5}', '[]', '1', '"a"', 'null'],
  ],
  mood: [
    ['eq', 'gt', 'neq'],
    ['sad', 'great'],
  ],
  truth: [
    ['eq', 'is'],
    ['true', 'false'],
  ],
  vector: [
    ['fts', 'plfts', 'wfts'],
    ['emma', 'nana'],
  ],
}
const kinds: Record<string, string> = {
  facts: 'json',
  tags: 'list',
  active: 'truth',
  mood: 'mood',
  published: 'date',
  sold: 'range',
  words: 'vector',
  at: 'date',
}
const kindOf = (name: string) => kinds[name] ?? (['name', 'title', 'country', 'code', 'number', 'what'].includes(name) ? 'text' : 'number')

const fittingCondition = (table: string) =>
  fc.constantFrom(...columns[table]!).chain((name) => {
    const [known, good] = fitting[kindOf(name)]!
    return fc.record({
      kind: fc.constant('condition'),
      column: fc.constant({ name, steps: [] }),
      isNegated: fc.boolean(),
      operator: fc.constantFrom(...known),
      value: fc.constantFrom(...good),
    })
  }) as fc.Arbitrary<FilterCondition>

const condition = (table: string) =>
  fc.oneof({ weight: 8, arbitrary: fittingCondition(table) }, { weight: 1, arbitrary: anyCondition(table) })

const anyCondition = (table: string) =>
  fc
    .tuple(
      column(table),
      fc.boolean(),
      fc.oneof(
        fc.record({ operator: fc.constantFrom(...filterOperators.filter((operator) => operator !== 'in' && operator !== 'is')), value }),
        fc.record({ operator: fc.constantFrom('eq', 'gt', 'like', 'ilike', 'imatch'), quantifier: fc.constantFrom('any', 'all'), value }),
        fc.record({ operator: fc.constantFrom('fts', 'plfts', 'wfts'), language: fc.constantFrom('english', 'simple', 'klingon'), value }),
        fc.record({ operator: fc.constant('in'), value: fc.array(value, { maxLength: 4 }) }),
        fc.record({ operator: fc.constant('is'), value: fc.constantFrom('null', 'true', 'false', 'unknown') }),
      ),
    )
    .map(([name, isNegated, operation]) => ({ kind: 'condition', column: name, isNegated, ...operation }) as FilterCondition)

/** Without a hint: several relationships may be meant, or a column decides. */
const linked = (table: string): fc.Arbitrary<Filter> =>
  fc
    .constantFrom(...relations[table]!, ['authors', undefined, 'authors'] as const)
    .chain(([relation, , to]) =>
      fc.record({ kind: fc.constant('linked' as const), relation: fc.constant(relation), condition: condition(to) }),
    )

const filter = (table: string): fc.Arbitrary<Filter> =>
  fc.oneof(
    { weight: 4, arbitrary: condition(table) },
    { weight: 1, arbitrary: linked(table) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('and', 'or'),
        isNegated: fc.boolean(),
        filters: fc.array(condition(table), { minLength: 1, maxLength: 3 }),
      }) as fc.Arbitrary<Filter>,
    },
  )

const term = (table: string): fc.Arbitrary<OrderTerm> =>
  fc.record({
    relation: fc.option(fc.constantFrom(...relations[table]!.map(([relation]) => relation), 'none'), { nil: undefined, freq: 1 }),
    column: column(table),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
    nulls: optional(fc.constantFrom('first' as const, 'last' as const)),
  })

const alias = fc.constantFrom('other', 'k0', 'p', 'a "name"', 'x'.repeat(64))

function item(table: string, depth: number): fc.Arbitrary<SelectItem> {
  const plain = fc.record({
    kind: fc.constant('column'),
    column: column(table),
    alias: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: alias }),
    cast: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: cast }),
    aggregate: fc.oneof(
      { weight: 15, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.record({ name: fc.constantFrom(...aggregates), cast: optional(cast) }) },
    ),
  })
  const simple = [
    { weight: 6, arbitrary: plain },
    { weight: 2, arbitrary: fc.constant({ kind: 'all' }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('count'), alias: optional(alias) }) },
  ]
  if (depth === 0 || relations[table]!.length === 0) return fc.oneof(...simple) as fc.Arbitrary<SelectItem>
  const embedding = fc.constantFrom(...relations[table]!).chain(([relation, hint, to]) =>
    fc.record({
      kind: fc.constant('embedding'),
      relation: fc.constant(relation),
      hint: fc.constant(hint),
      join: fc.constantFrom('left', 'inner'),
      isSpread: fc.boolean(),
      items: fc.array(item(to, depth - 1), { maxLength: 3 }),
    }),
  )
  return fc.oneof(...simple, { weight: 4, arbitrary: embedding }) as fc.Arbitrary<SelectItem>
}

const size = fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined, freq: 1 })

const refinement = (table: string) => ({
  filters: fc.array(filter(table), { maxLength: 2 }),
  order: fc.array(term(table), { maxLength: 2 }),
  limit: size,
  offset: size,
})

export const queryOf = (table: string): fc.Arbitrary<RecordQuery> =>
  fc.array(item(table, 2), { minLength: 1, maxLength: 4 }).chain((select) => {
    const embedded = select.flatMap((each) => {
      const found = each.kind === 'embedding' && relations[table]!.find(([relation]) => relation === each.relation)
      return found ? [[found[0], fc.record({ ...refinement(found[2]), embedded: fc.constant({}) })] as const] : []
    })
    return fc.record({
      ...refinement(table),
      select: fc.constant(select),
      embedded: fc.record(Object.fromEntries(embedded), { requiredKeys: [] }),
    })
  }) as fc.Arbitrary<RecordQuery>
