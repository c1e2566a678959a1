import type { LevelPlan, PlannedCondition, ReadPlan, Value } from './types'

/**
 * The columns that the query uses for more than output, so that PostgreSQL may reject their use. Empty if a statement
 * can only fail because the table has changed.
 */
export function namesAsked({ table, after, ...level }: ReadPlan): string[] {
  return [...new Set(levelNames({ table, ...level }, after !== undefined))]
}

function levelNames({ table, outputs, embeddings, condition, order, isAggregated }: LevelPlan, isBehindCursor = false): string[] {
  const isOwnOrder =
    order.length > 0 && !order.every(({ value }) => value.kind === 'field' && table.primaryKey.includes(value.field.column.name))
  return [
    ...(condition ? conditionNames(condition) : []),
    // Groups need an equality operator, which types such as json lack.
    ...outputs.flatMap(({ value }) => (value && (isAggregated || isWorked(value)) ? valueNames(value) : [])),
    ...(isOwnOrder || isBehindCursor ? order.flatMap(({ value }) => valueNames(value)) : []),
    ...embeddings.flatMap((embedding) => levelNames(embedding)),
  ]
}

const isWorked = (value: Value): boolean =>
  (value.kind === 'field' && (value.cast !== undefined || value.field.steps.length > 0)) ||
  (value.kind === 'spread' && isWorked(value.value))

function valueNames(value: Value): string[] {
  if (value.kind === 'field') return [value.field.column.name]
  if (value.kind === 'output') return []
  return value.kind === 'spread' ? valueNames(value.value) : [value.embedding.name]
}

function conditionNames(condition: PlannedCondition): string[] {
  if ('conditions' in condition) return condition.conditions.flatMap(conditionNames)
  if ('condition' in condition) return conditionNames(condition.condition)
  if (condition.kind === 'exists') return levelNames(condition.embedding)
  return condition.kind === 'search' ? condition.columns.map(({ column }) => column.name) : [condition.field.column.name]
}
