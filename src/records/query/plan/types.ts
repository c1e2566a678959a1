import type { Relationship } from '../../../tables/catalog/relationships'
import type { Column, Table } from '../../../tables/model'
import type { SearchPatterns } from '../search-patterns'
import type { Aggregate, Filter, JsonStep } from '../tree'

/**
 * What `read.ts` gives and `sql/` takes: the tree with every name resolved against the catalogue. Values stay apart
 * from it all the way.
 */

/** A column of the table of the level that it stands in, with the steps into its JSON. */
export type PlannedField = { table: Table; column: Column; steps: JsonStep[] }

/**
 * One value of every row. `cast` and `type` are PostgreSQL's names of types, from the list in `type-families.ts` or
 * from the catalogue.
 */
export type Value =
  | { kind: 'field'; field: PlannedField; cast?: string }
  /** An object, null, or an array of objects. */
  | { kind: 'embedded'; embedding: EmbeddingPlan }
  /** One value out of the rows of an embedding: itself from a to-one, an array from the others. */
  | { kind: 'spread'; embedding: EmbeddingPlan; value: Value }
  /** In the order of groups: the output that stands at this place, from 1. */
  | { kind: 'output'; place: number }

/** An aggregate without a value counts rows. */
export type PlannedOutput = { name: string; value?: Value; aggregate?: { name: Aggregate; cast?: string } }

/** `values` are the caller's: `sql.ts` makes parameters of them, and nothing else. */
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
      /** The filter whose value it is, unless it has been made of several. */
      filter?: Filter
    }
  /** Element by element, for types of which there are no arrays in one parameter. */
  | { kind: 'oneOf'; field: PlannedField; values: string[]; type: string }
  | { kind: 'is'; field: PlannedField; what: 'null' | 'not null' | 'true' | 'false' | 'unknown' }
  | { kind: 'matches'; field: PlannedField; isVector: boolean; reader: TextReader; language?: string; value: string }
  | { kind: 'exists'; embedding: EmbeddingPlan }
  | { kind: 'search'; columns: SearchedColumn[]; pattern: SearchPatterns | { like: string } }

/**
 * `name` names the records of `target`; `key` is the column of it that a link holds, and `own` the record's own key.
 */
export type SearchedColumn =
  | { column: Column; as: 'text' | 'list' | 'value' | 'user' }
  | { column: Column; as: 'link'; key: string; target: Table; name: Column }
  | { column: Column; as: 'links'; own: Column; target: Table; name: Column }

export type TextReader = 'to_tsquery' | 'plainto_tsquery' | 'phraseto_tsquery' | 'websearch_to_tsquery'

export type OrderPlan = {
  value: Value
  direction: 'asc' | 'desc'
  nulls: 'first' | 'last'
  /** What a value of it is read back as, from a cursor. */
  type: string
  /** Where its operators are; undefined for PostgreSQL's own. */
  operatorSchema: string | undefined
  isNullable: boolean
  /** As it stands in the cursor: `name.asc.last`. */
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

/** `after` are the values of the order's terms in the row that the page begins behind. */
export type ReadPlan = LevelPlan & { after?: (string | null)[] }
