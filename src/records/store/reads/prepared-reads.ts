import { Lru } from '../../../lru'
import type { Tables } from '../../../tables/catalog/catalog'
import type { Table } from '../../../tables/model'
import type { Pair } from '../../query/parse/pairs'
import { comparedText } from '../../query/plan/conditions'
import type { LevelPlan, PlannedCondition, PlannedField, ReadPlan } from '../../query/plan/types'
import { type QueryShape, type ShapeValue, shapeOf } from '../../query/shape'
import type { Statement } from '../../query/sql/statement'
import type { Filter, FilterOperator } from '../../query/tree'

/** A planned select. `bindings` maps each value of its shape to a filter, and to the form in which it is compared. */
export type PreparedRead = { plan: ReadPlan; statement: Statement; bindings?: Binding[] }

type Binding = { field: PlannedField; operator: FilterOperator; filter: Filter }

/**
 * `places` maps each filter to the index of its parameter in the query. A read that is not `isKept` is for this query
 * only.
 */
export type Planned<Prepared> = { prepared: Prepared; places: ReadonlyMap<Filter, number>; isKept: boolean }

/** `values` are the values of this request. A read that is not shared has its values in the plan. */
export type BoundRead<Prepared extends PreparedRead = PreparedRead> = { prepared: Prepared; values: readonly string[]; isShared: boolean }

const maxShapes = 500
const maxKeyLength = 1000

/** A new version of the catalogue is a new object, so the plans of the old version are dropped with it. */
const shapes = new WeakMap<Tables, Lru<string, PreparedRead>>()

const isCredential = (name: string) => name === 'token'

/**
 * The select for a query, planned once for all queries of the same shape.
 * @param kind everything else that the statement depends on
 * @param plan plans the query with its values
 * @throws Failure like `plan`, and for a value that its column cannot have
 */
export function prepareRead<Prepared extends PreparedRead>(
  tables: Tables,
  { table, kind, pairs }: { table: Table; kind: string; pairs: Pair[] },
  plan: (pairs: Pair[]) => Planned<Prepared>,
): BoundRead<Prepared> {
  const shape = shapeOf(pairs, isCredential)
  const key = `${table.id} ${kind.length}:${kind}${shape.key}`
  const ofTables = shapes.get(tables) ?? new Lru<string, PreparedRead>(maxShapes)
  shapes.set(tables, ofTables)
  const cached = ofTables.get(key) as Prepared | undefined
  if (cached) return { prepared: cached, values: boundValues(cached.bindings!, shape.values), isShared: true }
  const { prepared, places, isKept } = plan(pairs)
  const bindings = isKept && key.length <= maxKeyLength ? bindingsOf(prepared, shape, places) : null
  if (!bindings) return { prepared, values: [], isShared: false }
  prepared.bindings = bindings
  ofTables.set(key, prepared)
  return { prepared, values: boundValues(bindings, shape.values), isShared: true }
}

/**
 * The parameters of a statement of the read's plan. The values of this request replace those of the request that made
 * the plan.
 * @throws Error for a statement that lacks one of the filters
 */
export function boundParameters(statement: Statement, { prepared, values, isShared }: BoundRead): (string | null)[] {
  const parameters = [...statement.parameters]
  if (!isShared) return parameters
  for (let index = 0; index < values.length; index++) {
    const place = statement.filters?.get(prepared.bindings![index]!.filter) ?? -1
    if (place < 0) throw new Error('The statement has no place for a value of its query.')
    parameters[place] = values[index]!
  }
  return parameters
}

const boundValues = (bindings: readonly Binding[], values: readonly ShapeValue[]): string[] =>
  values.map(({ text }, index) => comparedText(bindings[index]!.field, bindings[index]!.operator, text))

/** Returns null when a value of the shape is not exactly one parameter. */
function bindingsOf({ plan, statement }: PreparedRead, { values }: QueryShape, places: ReadonlyMap<Filter, number>): Binding[] | null {
  const fields = fieldsOf(plan)
  const filterAt = new Map([...places].map(([filter, place]) => [place, filter]))
  const bindings = values.flatMap(({ place, operator }): Binding[] => {
    const filter = filterAt.get(place)
    const field = filter && fields.get(filter)
    const isOneParameter = filter !== undefined && (statement.filters?.get(filter) ?? -1) >= 0
    return field && isOneParameter ? [{ field, operator, filter }] : []
  })
  return bindings.length === values.length ? bindings : null
}

/** Maps each filter to its column. */
function fieldsOf(plan: LevelPlan, found = new Map<Filter, PlannedField>()): Map<Filter, PlannedField> {
  if (plan.condition) noteFields(plan.condition, found)
  for (const embedding of plan.embeddings) fieldsOf(embedding, found)
  return found
}

function noteFields(condition: PlannedCondition, found: Map<Filter, PlannedField>): void {
  if ('conditions' in condition) for (const inner of condition.conditions) noteFields(inner, found)
  else if ('condition' in condition) noteFields(condition.condition, found)
  else if (condition.kind === 'exists') fieldsOf(condition.embedding, found)
  else if (condition.kind === 'comparison' && condition.filter) found.set(condition.filter, condition.field)
}
