import type { Relationship } from '../../../tables/catalog/links/relationships'
import type { Column, Table } from '../../../tables/model'
import type { SearchPatterns } from '../search-patterns'
import type { Aggregate, Filter, JsonStep } from '../tree'

/**
 * The output of `read.ts` and the input of `sql/`: the tree with every name resolved against the catalog. It never
 * contains values as SQL.
 */

/** A column of the level's table, with the steps into its JSON. */
export type PlannedField = { table: Table; column: Column; steps: JsonStep[] }

/**
 * One value of every row. `cast` and `type` are PostgreSQL's names of types, from the list in `type-families.ts` or
 * from the catalog.
 */
export type Value =
  | { kind: 'field'; field: PlannedField; cast?: string }
  /** An object, null, or an array of objects. */
  | { kind: 'embedded'; embedding: EmbeddingPlan }
  /** One value from the rows of an embedding: the value itself from a to-one, an array from the others. */
  | { kind: 'spread'; embedding: EmbeddingPlan; value: Value }
  /** In the order of groups: the output at this position, from 1. */
  | { kind: 'output'; place: number }

/** An aggregate without a value counts rows. */
export type PlannedOutput = { name: string; value?: Value; aggregate?: { name: Aggregate; cast?: string } }

/** `values` are the caller's: `sql.ts` turns them into parameters, and nothing else. */
export type PlannedCondition =
  | { kind: 'every' | 'some'; conditions: PlannedCondition[] }
  | { kind: 'not' | 'isNotTrue'; condition: PlannedCondition }
  | {
      kind: 'comparison'
      field: PlannedField
      operator: string
      quantifier?: 'any' | 'all'
      value: string
      type: string
      /** The filter that the value belongs to, unless it combines several. */
      filter?: Filter
    }
  /** Element by element, for types that cannot be passed as an array in one parameter. */
  | { kind: 'oneOf'; field: PlannedField; values: string[]; type: string }
  | { kind: 'is'; field: PlannedField; what: 'null' | 'not null' | 'true' | 'false' | 'unknown' }
  | { kind: 'matches'; field: PlannedField; isVector: boolean; reader: TextReader; language?: string; value: string }
  | { kind: 'exists'; embedding: EmbeddingPlan }
  | { kind: 'search'; columns: SearchedColumn[]; pattern: SearchPatterns | { like: string } }

/** `name` names the records of `target`, `key` is the column to which a link points, `own` the record's own key. */
export type SearchedColumn =
  | { column: Column; as: 'text' | 'list' | 'value' | 'user' }
  | { column: Column; as: 'link'; key: string; target: Table; name: Column }
  | { column: Column; as: 'links'; own: Column; target: Table; name: Column }

export type TextReader = 'to_tsquery' | 'plainto_tsquery' | 'phraseto_tsquery' | 'websearch_to_tsquery'

export type OrderPlan = {
  value: Value
  direction: 'asc' | 'desc'
  nulls: 'first' | 'last'
  /** The type to which its value from a cursor is cast. */
  type: string
  /** The schema of its operators; undefined for PostgreSQL's own. */
  operatorSchema: string | undefined
  isNullable: boolean
  /** Its text in the cursor: `name.asc.last`. */
  label: string
}

export type LevelPlan = {
  table: Table
  outputs: PlannedOutput[]
  embeddings: EmbeddingPlan[]
  condition: PlannedCondition | null
  order: OrderPlan[]
  limit?: number
  offset?: number
  isAggregated: boolean
}

export type EmbeddingPlan = LevelPlan & { name: string; relationship: Relationship; isInner: boolean }

/** `after` holds the values of the order's terms in the row after which the page begins. */
export type ReadPlan = LevelPlan & { after?: (string | null)[] }
