import { translatable } from '../../../messages/message'
import type { Table } from '../../../tables/model'
import { displayName, notEmbedded, QueryFailure, queryFailure } from '../plan-failure'
import type { ColumnPath, OrderTerm } from '../tree'
import { familyOf } from '../type-families'
import { fieldType, findColumn, operatorSchema, planField } from './fields'
import type { EmbeddingPlan, OrderPlan, PlannedField, PlannedOutput, Value } from './types'

/** @throws QueryFailure */
export const planOrder = (table: Table, terms: OrderTerm[], embeddings: EmbeddingPlan[]): OrderPlan[] =>
  terms.map((term) => {
    const { field, value } = term.relation === undefined ? ownValue(table, term.column) : embeddedValue(table, term, embeddings)
    return orderBy(value, field, term, term.relation)
  })

function ownValue(table: Table, column: ColumnPath): { field: PlannedField; value: Value } {
  const field = planField(table, column)
  return { field, value: { kind: 'field', field } }
}

function embeddedValue(
  table: Table,
  { relation = '', column }: OrderTerm,
  embeddings: EmbeddingPlan[],
): { field: PlannedField; value: Value } {
  const embedding = embeddings.find(({ name }) => name === relation)
  if (!embedding)
    throw notEmbedded(
      table,
      relation,
      embeddings.map(({ name }) => name),
    )
  if (embedding.relationship.cardinality !== 'toOne') {
    throw new QueryFailure(
      { kind: 'notToOne', table, relation },
      translatable('A record of "{name}" can have several {displayName}, so "order" cannot use them.', {
        name: table.name,
        displayName: displayName(relation),
      }),
      translatable('Order by embeddings that hold at most one record.'),
    )
  }
  const field = planField(embedding.table, column)
  return { field, value: { kind: 'spread', embedding, value: { kind: 'field', field } } }
}

function orderBy(
  value: Value,
  field: PlannedField,
  { direction, nulls }: Pick<OrderTerm, 'direction' | 'nulls'>,
  relation?: string,
): OrderPlan {
  // PostgreSQL's own rule: null is larger than everything.
  const place = nulls ?? (direction === 'asc' ? 'last' : 'first')
  const isNullable =
    relation !== undefined || field.steps.length > 0 || !field.column.required || field.column.access?.visibleIn !== undefined
  const path = [relation, field.column.name, ...field.steps.map(({ as, key }) => `${as === 'text' ? '>>' : '>'}${key}`)]
  const label = `${path.filter((part) => part !== undefined).join(' ')} ${direction}${isNullable ? ` ${place}` : ''}`
  return { value, direction, nulls: place, type: fieldType(field), operatorSchema: operatorSchema(field), isNullable, label }
}

/** Whether rows may be ordered by the key: a grant in the database may exclude its columns. */
export const hasReadableKey = (table: Table): boolean => table.primaryKey.every((name) => findColumn(table, name)?.isReadable)

/**
 * The order followed by the primary key, so that no two records are equal in it; its direction is the last term's, so
 * that one index serves both.
 */
export function totalOrder(table: Table, order: OrderPlan[]): OrderPlan[] {
  const isNamed = (name: string) =>
    order.some(({ value }) => value.kind === 'field' && value.field.steps.length === 0 && value.field.column.name === name)
  const direction = order.at(-1)?.direction ?? 'asc'
  const rest = table.primaryKey.filter((name) => !isNamed(name)).map((name) => ({ table, column: findColumn(table, name)!, steps: [] }))
  return [
    ...order,
    ...rest.map((field) => orderBy({ kind: 'field', field }, { ...field, column: { ...field.column, required: true } }, { direction })),
  ]
}

/**
 * The order of groups: by a grouped value, or by the name of an aggregate.
 * @returns the position of the output for each term, from 1
 */
export function groupOrder(table: Table, terms: OrderTerm[], outputs: PlannedOutput[]): OrderPlan[] {
  return terms.map((term) => {
    const index = outputs.findIndex((output) => isOrderedBy(output, term))
    if (index < 0) {
      throw queryFailure(
        'wrongOrder',
        translatable('Groups of "{name}" cannot be ordered by {displayName}, which they do not have.', {
          name: table.name,
          displayName: displayName(term.column.name),
        }),
        translatable('Order by a selected column, or by the name of an aggregate.'),
      )
    }
    const { direction, nulls } = term
    return byOutput(index + 1, direction, nulls ?? (direction === 'asc' ? 'last' : 'first'))
  })
}

const byOutput = (position: number, direction: OrderPlan['direction'], nulls: OrderPlan['nulls']): OrderPlan => ({
  value: { kind: 'output', place: position },
  direction,
  nulls,
  type: 'text',
  operatorSchema: undefined,
  isNullable: true,
  label: '',
})

/** The order followed by the grouped values, so that no two groups are equal in it. */
export function totalGroupOrder(order: OrderPlan[], outputs: PlannedOutput[]): OrderPlan[] {
  const isNamed = (index: number) => order.some(({ value }) => value.kind === 'output' && value.place === index + 1)
  const rest = outputs.flatMap(({ value, aggregate }, index) =>
    value && !aggregate && !isNamed(index) && hasOrder(value) ? [byOutput(index + 1, 'asc', 'last')] : [],
  )
  return [...order, ...rest]
}

/** PostgreSQL can compare the values of some types, such as `xid`, only for equality. */
function hasOrder(value: Value): boolean {
  if (value.kind === 'spread') return hasOrder(value.value)
  return value.kind !== 'field' || familyOf((value.cast ?? fieldType(value.field)).replace(/\[\]$/, '')) !== 'other'
}

function isOrderedBy({ name, value, aggregate }: PlannedOutput, { relation, column }: OrderTerm): boolean {
  if (relation !== undefined) return !aggregate && value?.kind === 'spread' && isSpreadColumn(value, relation, column)
  if (aggregate || value?.kind !== 'field') return column.steps.length === 0 && column.name === name
  return isSameField(value.field, column)
}

/** `author(name)` is the column of `...author(name)`; not with a cast, which may change the order. */
const isSpreadColumn = ({ embedding, value }: Extract<Value, { kind: 'spread' }>, relation: string, column: ColumnPath): boolean =>
  embedding.name === relation &&
  embedding.relationship.cardinality === 'toOne' &&
  value.kind === 'field' &&
  value.cast === undefined &&
  isSameField(value.field, column)

const isSameField = (field: PlannedField, { name, steps }: ColumnPath): boolean =>
  field.column.name === name && Bun.deepEquals(field.steps, steps)
