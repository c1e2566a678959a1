/**
 * A parsed query, before its names are resolved: the output of `parse/`, the input of `plan/`. The grammar is
 * PostgREST's (https://docs.postgrest.org/en/v12/references/api/tables_views.html), with our extensions on the native
 * route.
 */

/** `a->b->>0`: a column and the steps into its JSON. */
export type ColumnPath = { name: string; steps: JsonStep[] }
export type JsonStep = { as: 'json' | 'text'; key: string | number }

export const aggregates = ['count', 'sum', 'avg', 'min', 'max'] as const
export type Aggregate = (typeof aggregates)[number]

export type SelectItem =
  | { kind: 'all' }
  /** `alias:column->path::cast.sum()::cast` */
  | { kind: 'column'; column: ColumnPath; alias?: string; cast?: string; aggregate?: { name: Aggregate; cast?: string } }
  /** `alias:count()::cast` without a column: the number of rows. */
  | { kind: 'count'; alias?: string; cast?: string }
  | Embedding

/**
 * `alias:relation!hint!inner(…)`; with `isSpread` it is `...relation(…)`. `hint` names a foreign key, a column or a
 * join table.
 */
export type Embedding = {
  kind: 'embedding'
  relation: string
  alias?: string
  hint?: string
  join: 'left' | 'inner'
  isSpread: boolean
  items: SelectItem[]
}

export const filterOperators = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'match',
  'imatch',
  'in',
  'is',
  'isdistinct',
  'fts',
  'plfts',
  'phfts',
  'wfts',
  'cs',
  'cd',
  'ov',
  'sl',
  'sr',
  'nxl',
  'nxr',
  'adj',
] as const
export type FilterOperator = (typeof filterOperators)[number]

export type FilterCondition = {
  kind: 'condition'
  /** A column, or the name or alias of an embedding (`author=is.null`). */
  column: ColumnPath
  isNegated: boolean
  operator: FilterOperator
  /** `eq(any).{1,2}`: `value` is then a PostgreSQL array literal. */
  quantifier?: 'any' | 'all'
  /** The language of a full text search: `fts(german).haus`. */
  language?: string
  /** For `in`, the list of its elements, unquoted. */
  value: string | string[]
}

export type Filter =
  | FilterCondition
  /** `author(name)=eq.x`: a linked record meets the condition. If it is negated, none does. */
  | { kind: 'linked'; relation: string; condition: FilterCondition }
  | { kind: 'and' | 'or'; isNegated: boolean; filters: Filter[] }

/** `author(name).desc.nullslast` orders by a to-one embedding. */
export type OrderTerm = { relation?: string; column: ColumnPath; direction: 'asc' | 'desc'; nulls?: 'first' | 'last' }

/** The refinements of one level's rows: the top, or an embedding. */
type Refinement = { filters: Filter[]; order: OrderTerm[]; limit?: number; offset?: number }

/** One level with its embeddings, which are named by alias, or else by relation: `author.books.limit=2`. */
export type Level = Refinement & { embedded: Record<string, Level> }

export type RecordQuery = Level & {
  select: SelectItem[]
  /** PostgREST's `columns=`: which names of a body count. */
  columns?: string[]
  /** PostgREST's `on_conflict=`. */
  onConflict?: string[]
  /** The native route's own parameters; never set for `/rest/v1`, which reads them as names of columns. */
  cursor?: string
  count?: 'none' | 'exact' | 'estimated'
  search?: string
  maxAffected?: number
  isDryRun?: boolean
}
