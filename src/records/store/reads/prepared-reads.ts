import type { Tables } from '../../../tables/catalog/catalog'
import type { Table } from '../../../tables/model'
import type { Pair } from '../../query/parse/pairs'
import { comparedText } from '../../query/plan/conditions'
import type { LevelPlan, PlannedCondition, PlannedField, ReadPlan } from '../../query/plan/types'
import { type QueryShape, type ShapeValue, shapeOf } from '../../query/shape'
import type { Statement } from '../../query/sql/statement'
import type { Filter, FilterOperator } from '../../query/tree'

/**
 * A select that has been planned. `bindings` says which filter each value of its shape is, and what is compared with
 * it.
 */
export type PreparedRead = { plan: ReadPlan; statement: Statement; bindings?: Binding[] }

type Binding = { field: PlannedField; operator: FilterOperator; filter: Filter }

/** `places` says which parameter of the query each filter is; a read that is not `isKept` is for this query only. */
export type Planned<Prepared> = { prepared: Prepared; places: ReadonlyMap<Filter, number>; isKept: boolean }

/** `values` are those of this request; where the read is not shared with others, they stand in the plan. */
export type BoundRead<Prepared extends PreparedRead = PreparedRead> = { prepared: Prepared; values: readonly string[]; isShared: boolean }

const maxShapes = 500
const maxKeyLength = 1000

/** A new version of the catalogue is a new object, so what was planned for the old one is forgotten with it. */
const shapes = new WeakMap<Tables, Map<string, PreparedRead>>()

const isCredential = (name: string) => name === 'token'

/**
 * The select that a query asks for, planned once for all queries of the same shape.
 * @param kind what else the statement depends on
 * @param plan plans the query as it stands; null where it must not be kept
 * @throws Failure as `plan` does, and for a value that its column cannot have
 */
export function prepareRead<Prepared extends PreparedRead>(
  tables: Tables,
  { table, kind, pairs }: { table: Table; kind: string; pairs: Pair[] },
  plan: (pairs: Pair[]) => Planned<Prepared>,
): BoundRead<Prepared> {
  const shape = shapeOf(pairs, isCredential)
  const key = `${table.id} ${kind.length}:${kind}${shape.key}`
  const ofTables = shapes.get(tables) ?? new Map<string, PreparedRead>()
  shapes.set(tables, ofTables)
  const cached = ofTables.get(key) as Prepared | undefined
  if (cached) {
    // Behind all others, so that the shape that was asked for longest ago stands first.
    ofTables.delete(key)
    ofTables.set(key, cached)
    return { prepared: cached, values: boundValues(cached.bindings!, shape.values), isShared: true }
  }
  const { prepared, places, isKept } = plan(pairs)
  const bindings = isKept && key.length <= maxKeyLength ? bindingsOf(prepared, shape, places) : null
  if (!bindings) return { prepared, values: [], isShared: false }
  prepared.bindings = bindings
  ofTables.set(key, prepared)
  if (ofTables.size > maxShapes) ofTables.delete(ofTables.keys().next().value!)
  return { prepared, values: boundValues(bindings, shape.values), isShared: true }
}

/**
 * The parameters of a statement of the read's plan, with the values of this request in the place of those that the plan
 * was made with.
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

/** Null where a value of the shape is not one parameter and nothing else. */
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

/** The column that each filter is about. */
function fieldsOf(plan: LevelPlan, found = new Map<Filter, PlannedField>()): Map<Filter, PlannedField> {
  if (plan.condition) noteFields(plan.condition, found)
  for (const embedding of plan.embeddings) fieldsOf(embedding, found)
  return found
}

function noteFields(condition: PlannedCondition, found: Map<Filter, PlannedField>): void {
  if ('conditions' in condition) for (const inner of condition.conditions) noteFields(inner, found)
  else if ('condition' in condition) noteFields(condition.condition, found)
  else if (condition.kind === 'comparison' && condition.filter) found.set(condition.filter, condition.field)
}
