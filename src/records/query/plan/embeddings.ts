import { translatable } from '../../../messages/message'
import type { Tables } from '../../../tables/catalog/catalog'
import { findRelationships, type Relationship, relationshipsFrom } from '../../../tables/catalog/links/relationships'
import type { Table } from '../../../tables/model'
import { ambiguousRelation, displayName, queryFailure, unknownRelation } from '../plan-failure'
import type { Embedding, Level, SelectItem } from '../tree'
import { hasReadableKey, totalOrder } from './order'
import type { EmbeddingPlan, LevelPlan } from './types'

const nothing: Level = { filters: [], order: [], embedded: {} }

const embeddingName = ({ alias, relation }: Embedding): string => alias ?? relation

/**
 * The embedding of a level that a name in the query refers to: the one with this name, or else the only one whose
 * relation has this name, whatever its alias.
 */
export function embeddingMeant(items: SelectItem[], name: string): Embedding | undefined {
  const embeddings = items.filter((item) => item.kind === 'embedding')
  const [only, ...others] = embeddings.filter(({ relation }) => relation === name)
  return embeddings.find((item) => embeddingName(item) === name) ?? (others.length ? undefined : only)
}

/** The part of the query about one embedding, by its alias or by its relation's name. */
function insideOf(items: SelectItem[], item: Embedding, { embedded }: Level): Level {
  const names = Object.keys(embedded).filter((name) => embeddingMeant(items, name) === item)
  return names.map((name) => embedded[name]!).reduce(merged, nothing)
}

/** A relation may have the name of an `Object.prototype` property. */
const levelNamed = ({ embedded }: Level, name: string): Level => (Object.hasOwn(embedded, name) ? embedded[name]! : nothing)

const merged = (one: Level, other: Level): Level => ({
  filters: [...one.filters, ...other.filters],
  order: [...one.order, ...other.order],
  limit: other.limit ?? one.limit,
  offset: other.offset ?? one.offset,
  embedded: Object.fromEntries(
    Object.keys({ ...one.embedded, ...other.embedded }).map((name) => [name, merged(levelNamed(one, name), levelNamed(other, name))]),
  ),
})

type PlanLevel = (tables: Tables, table: Table, items: SelectItem[], level: Level) => LevelPlan

/** @throws QueryFailure unknownRelation, ambiguousRelation, and the errors of the levels inside */
export function planEmbeddings(tables: Tables, table: Table, items: SelectItem[], level: Level, planLevel: PlanLevel): EmbeddingPlan[] {
  const planned: EmbeddingPlan[] = []
  for (const item of items) {
    if (item.kind !== 'embedding') continue
    const embedding = planEmbedding(tables, table, item, insideOf(items, item, level), planLevel)
    if (planned.some(({ name }) => name === embedding.name)) {
      throw queryFailure(
        'wrongColumns',
        translatable('{displayName} is embedded twice.', { displayName: displayName(embedding.name) }),
        translatable('Give one of the two another name: other:name(…).'),
      )
    }
    planned.push(embedding)
  }
  return planned
}

function planEmbedding(tables: Tables, table: Table, item: Embedding, inside: Level, planLevel: PlanLevel): EmbeddingPlan {
  const name = embeddingName(item)
  const relationship = relationshipNamed(tables, table, item)
  const { to, cardinality } = relationship
  const planned = planLevel(tables, to, item.items, inside)
  // Each column is a separate array, and only a total order gives all arrays the same order.
  const isCorrelated = item.isSpread && cardinality !== 'toOne' && planned.outputs.length > 1 && hasReadableKey(to)
  const order = isCorrelated ? totalOrder(to, planned.order) : planned.order
  return { ...planned, order, name, relationship, isInner: item.join === 'inner' }
}

/** @throws QueryFailure unknownRelation, ambiguousRelation */
export function relationshipNamed(tables: Tables, table: Table, { relation, hint }: Pick<Embedding, 'relation' | 'hint'>): Relationship {
  const found = findRelationships(tables, table, relation, hint)
  if (found.length > 1) throw ambiguousRelation(table, relation, found)
  const [only] = found
  if (!only) throw unknownRelation(table, relation, hint, relationshipsFrom(tables, table))
  return only
}
