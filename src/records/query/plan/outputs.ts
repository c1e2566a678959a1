import { translatable } from '../../../messages/message'
import type { Tables } from '../../../tables/catalog/catalog'
import type { Table } from '../../../tables/model'
import { displayName, queryFailure } from '../plan-failure'
import type { SelectItem } from '../tree'
import { castType, familyOf } from '../type-families'
import { fieldType, findColumn, planField } from './fields'
import type { EmbeddingPlan, PlannedOutput, Value } from './types'

const longestNameBytes = 63

/** The outputs of a level's rows. The later of two with the same name wins, as in JSON parsers. */
export function planOutputs(tables: Tables, table: Table, items: SelectItem[], embeddings: EmbeddingPlan[]): PlannedOutput[] {
  const outputs = items.flatMap((item) => outputsOf(tables, table, item, embeddings))
  const last = new Map(outputs.map((output, index) => [output.name, index]))
  const kept = outputs.filter(({ name }, index) => last.get(name) === index)
  for (const { name } of kept) holdName(name)
  return kept
}

function outputsOf(tables: Tables, table: Table, item: SelectItem, embeddings: EmbeddingPlan[]): PlannedOutput[] {
  if (item.kind === 'all') return allColumns(table)
  if (item.kind === 'column') return [columnOutput(tables, table, item)]
  if (item.kind === 'count') return [{ name: item.alias ?? 'count', aggregate: { name: 'count', ...cast(tables, item.cast) } }]
  const embedding = embeddings.find(({ name }) => name === (item.alias ?? item.relation))!
  if (item.isSpread) return embedding.outputs.map((output) => spread(embedding, output))
  return item.items.length ? [{ name: embedding.name, value: { kind: 'embedded', embedding } }] : []
}

const everything = new WeakMap<Table, PlannedOutput[]>()

/** The meaning of `*`: every column that may be read. */
export function allColumns(table: Table): PlannedOutput[] {
  const known = everything.get(table)
  if (known) return known
  const outputs = table.columns
    .filter(({ isReadable }) => isReadable)
    .map((column): PlannedOutput => ({ name: column.name, value: { kind: 'field', field: { table, column, steps: [] } } }))
  everything.set(table, outputs)
  return outputs
}

const cast = (tables: Tables, name: string | undefined) => (name === undefined ? {} : { cast: castType(tables, name) })

/** `author(count)`, which clients of PostgREST wrote before `count()` existed. */
const isBareCount = (table: Table, { column, aggregate }: Extract<SelectItem, { kind: 'column' }>) =>
  column.name === 'count' && column.steps.length === 0 && !aggregate && !findColumn(table, 'count')

function columnOutput(tables: Tables, table: Table, item: Extract<SelectItem, { kind: 'column' }>): PlannedOutput {
  if (isBareCount(table, item)) return { name: item.alias ?? 'count', aggregate: { name: 'count', ...cast(tables, item.cast) } }
  const field = planField(table, item.column)
  const value: Value = { kind: 'field', field, ...cast(tables, item.cast) }
  const lastKey = item.column.steps.findLast(({ key }) => typeof key === 'string')?.key
  const name = item.alias ?? item.aggregate?.name ?? (lastKey === undefined ? field.column.name : String(lastKey))
  if (!item.aggregate) return { name, value }
  const type = value.cast ?? fieldType(field)
  const needsNumbers = item.aggregate.name === 'sum' || item.aggregate.name === 'avg'
  if (needsNumbers && !['number', 'moment', 'other'].includes(familyOf(type))) {
    throw queryFailure(
      'wrongAggregate',
      translatable('The column "{name}" holds no numbers, so it has no {aggregate}.', {
        name: field.column.name,
        aggregate: item.aggregate.name,
      }),
    )
  }
  return { name, value, aggregate: { name: item.aggregate.name, ...cast(tables, item.aggregate.cast) } }
}

/** Aggregates of a to-one embedding apply to the rows that it is spread into. */
function spread(embedding: EmbeddingPlan, { name, value, aggregate }: PlannedOutput): PlannedOutput {
  if (aggregate && embedding.relationship.cardinality !== 'toOne') {
    throw queryFailure(
      'wrongAggregate',
      translatable('A record can have several {displayName}, so their aggregates cannot be spread.', {
        displayName: displayName(embedding.name),
      }),
      translatable('Leave the "..." out.'),
    )
  }
  return { name, value: value && { kind: 'spread', embedding, value }, aggregate }
}

/** PostgreSQL would silently truncate longer names. */
function holdName(name: string): void {
  if (Buffer.byteLength(name) > longestNameBytes || name.includes('\0') || name === '') {
    throw queryFailure(
      'wrongColumns',
      translatable(
        'The name {displayName} for a column of the answer is too long or empty; at most {longestNameBytes} bytes are allowed.',
        { displayName: displayName(name.replaceAll('\0', '')), longestNameBytes },
      ),
    )
  }
}
