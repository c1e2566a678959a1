import type { Tables } from '../../tables/catalog'
import type { Table } from '../../tables/model'
import { findRelationships, relationshipsFrom } from '../../tables/relationships'
import { ambiguousRelation, refused, shown, unknownRelation } from './failure'
import type { EmbeddingPlan, LevelPlan } from './planned'
import type { Embedding, Level, SelectItem } from './tree'

const nothing: Level = { filters: [], order: [], embedded: {} }

type PlanLevel = (tables: Tables, table: Table, items: SelectItem[], level: Level) => LevelPlan

/** @throws QueryFailure unknownRelation, ambiguousRelation, and whatever the levels inside throw */
export function planEmbeddings(tables: Tables, table: Table, items: SelectItem[], level: Level, planLevel: PlanLevel): EmbeddingPlan[] {
  const planned: EmbeddingPlan[] = []
  for (const item of items) {
    if (item.kind !== 'embedding') continue
    const embedding = planEmbedding(tables, table, item, level, planLevel)
    if (planned.some(({ name }) => name === embedding.name)) {
      throw refused('wrongColumns', `${shown(embedding.name)} is embedded twice.`, 'Give one of the two another name: other:name(…).')
    }
    planned.push(embedding)
  }
  return planned
}

function planEmbedding(tables: Tables, table: Table, item: Embedding, level: Level, planLevel: PlanLevel): EmbeddingPlan {
  const name = item.alias ?? item.relation
  const relationship = relationshipOf(tables, table, item)
  const inside = Object.hasOwn(level.embedded, name) ? level.embedded[name]! : nothing
  const planned = planLevel(tables, relationship.to, item.items, inside)
  return { ...planned, name, relationship, isInner: item.join === 'inner' }
}

function relationshipOf(tables: Tables, table: Table, { relation, hint }: Embedding) {
  const found = findRelationships(tables, table, relation, hint)
  if (found.length > 1) throw ambiguousRelation(table, relation, found)
  const [only] = found
  if (!only) throw unknownRelation(table, relation, hint, relationshipsFrom(tables, table))
  return only
}
