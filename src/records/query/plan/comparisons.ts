import type { Tables } from '../../../tables/catalog/catalog'
import { findRelationships } from '../../../tables/catalog/links/relationships'
import type { Table } from '../../../tables/model'
import type { Filter, FilterCondition, FilterOperator, Level, RecordQuery, SelectItem } from '../tree'
import { embeddingMeant } from './embeddings'
import { findColumn } from './fields'
import { relationshipMeant } from './renames'

/** A column that a filter compares with constants. */
export type ColumnComparison = { columnId: string; operator: FilterOperator; values: readonly string[] }

/** The comparisons in the filters of a query, also in filters of embedded and linked records. Omits unknown names. */
export const comparisonsIn = (tables: Tables, table: Table, { select, ...level }: RecordQuery): ColumnComparison[] =>
  levelComparisons(tables, table, select, level)

function levelComparisons(tables: Tables, table: Table, items: SelectItem[], { filters, embedded }: Level): ColumnComparison[] {
  const inner = Object.entries(embedded).flatMap(([name, level]) => {
    const item = embeddingMeant(items, name)
    const [found] = item ? findRelationships(tables, table, item.relation, item.hint) : []
    return item && found ? levelComparisons(tables, found.to, item.items, level) : []
  })
  return [...filters.flatMap((filter) => filterComparisons(tables, table, filter)), ...inner]
}

function filterComparisons(tables: Tables, table: Table, filter: Filter): ColumnComparison[] {
  if (filter.kind === 'condition') return conditionComparisons(table, filter)
  if (filter.kind !== 'linked') return filter.filters.flatMap((each) => filterComparisons(tables, table, each))
  const found = relationshipMeant(tables, table, filter.relation)
  return found ? conditionComparisons(found.to, filter.condition) : []
}

function conditionComparisons(table: Table, { column, operator, value }: FilterCondition): ColumnComparison[] {
  const found = findColumn(table, column.name)
  return found ? [{ columnId: found.id, operator, values: [value].flat() }] : []
}
