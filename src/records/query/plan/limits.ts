import { type Message, translatable } from '../../../messages/message'
import { queryFailure } from '../plan-failure'
import type { Embedding, Filter, Level, RecordQuery, SelectItem } from '../tree'

/**
 * Queries beyond these limits are rejected with 400 (docs/records.md). They keep one request from costing more than a
 * page of work.
 */
export const planLimits = {
  /** Embeddings inside one another. */
  depth: 8,
  /** Embeddings in total. */
  embeddings: 30,
  /** Names in all `select` lists. */
  items: 500,
  /** Repetitions of one column, or one JSON step, at one level: each one outputs the whole value again. */
  repetitions: 10,
  /** Conditions in all filters. */
  conditions: 200,
  /** `and` and `or` inside one another. */
  nesting: 16,
  /** Columns to order by, at one level. */
  order: 16,
  /** Elements of one `in` list. */
  elements: 10_000,
  /** Steps into one JSON value. */
  steps: 32,
}

type Limit = keyof typeof planLimits

const hold = (limit: Limit, count: number, what: Message, hint?: Message) => {
  if (count > planLimits[limit])
    throw queryFailure(
      'tooMuch',
      translatable('The query has {what}; at most {limit} are allowed.', { what, limit: planLimits[limit] }),
      hint,
    )
}

/** @throws QueryFailure tooMuch */
export function requireWithinLimits(query: RecordQuery): void {
  const items = allItems(query.select)
  const embeddings = items.filter((item): item is Embedding => item.kind === 'embedding')
  hold('depth', depthOf(query.select), translatable('too many nested embeddings'))
  hold('embeddings', embeddings.length, translatable('too many embeddings'))
  hold('items', items.length, translatable('too many names to select'))
  for (const names of [query.select, ...embeddings.map((embedding) => embedding.items)]) holdToRepetitions(names)
  for (const { filters, order } of allLevels(query)) {
    for (const filter of filters) hold('nesting', nestingOf(filter), translatable('too many nested "and" and "or"'))
    hold('order', order.length, translatable('too many columns to order by'))
  }
  hold('conditions', conditionCount(query), translatable('too many conditions'))
}

/** The number of conditions in the filters of all levels. */
export const conditionCount = (query: RecordQuery): number =>
  allLevels(query).reduce((sum, { filters }) => filters.reduce((count, filter) => count + filterSize(filter), sum), 0)

const allItems = (items: SelectItem[]): SelectItem[] =>
  items.flatMap((item) => [item, ...(item.kind === 'embedding' ? allItems(item.items) : [])])

const depthOf = (items: SelectItem[]): number =>
  Math.max(0, ...items.map((item) => (item.kind === 'embedding' ? 1 + depthOf(item.items) : 0)))

const allLevels = (level: Level): Level[] => [level, ...Object.values(level.embedded).flatMap(allLevels)]

const nestingOf = (filter: Filter): number => ('filters' in filter ? 1 + Math.max(0, ...filter.filters.map(nestingOf)) : 0)

const filterSize = (filter: Filter): number =>
  'filters' in filter ? filter.filters.reduce((count, inner) => count + filterSize(inner), 0) : 1

function holdToRepetitions(items: SelectItem[]): void {
  const counts = new Map<string, number>()
  for (const item of items) {
    if (item.kind !== 'column' || item.aggregate) continue
    const path = JSON.stringify(item.column)
    const count = (counts.get(path) ?? 0) + 1
    counts.set(path, count)
    hold(
      'repetitions',
      count,
      translatable('one column too many times in "select"'),
      translatable('Name it once; it is the same value each time.'),
    )
  }
}
