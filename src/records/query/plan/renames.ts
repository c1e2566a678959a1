import { Failure } from '../../../errors'
import type { Tables } from '../../../tables/catalog/catalog'
import { findRelationships, type Relationship, relationshipOfColumn, relationshipsFrom } from '../../../tables/catalog/links/relationships'
import type { Table } from '../../../tables/model'
import { readPairs } from '../parse/pairs'
import { parseQuery } from '../parse/query'
import { printQuery, writePairs } from '../print'
import type { ColumnPath, Embedding, Filter, Level, OrderTerm, RecordQuery, SelectItem } from '../tree'
import { embeddingMeant } from './embeddings'
import { findColumn } from './fields'

type LinkedFilter = Extract<Filter, { kind: 'linked' }>

/** The tables before and after a rename. Ids identify the common objects. */
export type Renaming = { before: Tables; after: Tables }

type Place = { before: Table; after: Table }

/** A name that had no meaning before, or that has no equivalent afterwards. */
class NoName extends Error {}

/**
 * A query with the same meaning after the rename. Its own names (aliases) stay.
 * @param tableId of the query's table
 * @returns null if a name in it has no meaning, before or after
 */
export function renamedQuery(renaming: Renaming, tableId: string, query: RecordQuery): RecordQuery | null {
  const [before, after] = [renaming.before.byId.get(tableId), renaming.after.byId.get(tableId)]
  if (!before || !after) return null
  try {
    const { items, level } = renamedLevel(renaming, { before, after }, query.select, query)
    // An empty list would select every column.
    if (query.select.some(isShowing) && !items.some(isShowing)) return null
    return { ...query, ...level, select: items }
  } catch (error) {
    if (error instanceof NoName) return null
    throw error
  }
}

/** Whether the item shows a value: `author()` only requires or names a linked record. */
export const isShowing = (item: SelectItem): boolean => item.kind !== 'embedding' || item.items.some(isShowing)

/**
 * The same for a query string of the native route; unchanged if it cannot be parsed or nothing changes, null if a name
 * in it has no meaning.
 */
export function renamedText(renaming: Renaming, tableId: string, text: string): string | null {
  const query = findQuery(text)
  if (!query) return text
  const renamed = renamedQuery(renaming, tableId, query)
  if (!renamed) return null
  return Bun.deepEquals(renamed, query) ? text : writePairs(printQuery(renamed))
}

/** Whether a query string contains one of these names: otherwise their rename does not affect it. */
export function isTextNaming(text: string, names: readonly string[]): boolean {
  const query = findQuery(text)
  return query !== null && isNaming(query, names)
}

/** The query of the native route; null if it cannot be parsed. */
export function findQuery(text: string): RecordQuery | null {
  try {
    return parseQuery([...readPairs(text)], 'native')
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

/** Whether a query contains one of these names. */
export function isNaming({ select, ...level }: RecordQuery, names: readonly string[]): boolean {
  const isNamed = (name: string | undefined) => name !== undefined && names.includes(name)
  const inFilter = (filter: Filter): boolean => {
    if (filter.kind === 'linked') return isNamed(filter.relation) || inFilter(filter.condition)
    return filter.kind === 'condition' ? isNamed(filter.column.name) : filter.filters.some(inFilter)
  }
  const inLevel = ({ filters, order, embedded }: Level): boolean =>
    filters.some(inFilter) ||
    order.some(({ relation, column }) => isNamed(relation) || isNamed(column.name)) ||
    Object.entries(embedded).some(([name, inner]) => isNamed(name) || inLevel(inner))
  const inItem = (item: SelectItem): boolean =>
    (item.kind === 'column' && isNamed(item.column.name)) ||
    (item.kind === 'embedding' && (isNamed(item.relation) || isNamed(item.hint) || item.items.some(inItem)))
  return inLevel(level) || select.some(inItem)
}

/** An embedding with its names before and after, by which filters and orders refer to it. */
type RenamedEmbedding = { item: Embedding; renamed: Embedding; relationship: Place }

function renamedLevel(renaming: Renaming, place: Place, items: readonly SelectItem[], level: Level): { items: SelectItem[]; level: Level } {
  const embeddings = items.flatMap((item) => (item.kind === 'embedding' ? [renamedRelation(renaming, place, item)] : []))
  const embedded: Level['embedded'] = Object.create(null)
  const inner = new Map<Embedding, SelectItem[]>()
  for (const { item, relationship } of embeddings) inner.set(item, renamedLevel(renaming, relationship, item.items, nothingAsked).items)
  for (const [name, asked] of Object.entries(level.embedded)) {
    const meant = embeddingMeant([...items], name)
    const found = embeddings.find(({ item }) => item === meant)
    if (!found) throw new NoName()
    embedded[calledNow(found, name)] = renamedLevel(renaming, found.relationship, found.item.items, asked).level
  }
  const nameNow = (name: string) => calledNow(embeddings.find(({ item }) => (item.alias ?? item.relation) === name) ?? missing(), name)
  const aliases = items.flatMap((item) => ('alias' in item && item.alias !== undefined ? [item.alias] : []))
  const columnNow = (column: ColumnPath): ColumnPath => ({ ...column, name: columnName(place, column.name) })
  const filterNow = (filter: Filter): Filter => {
    if (filter.kind === 'linked') return renamedLinked(renaming, place, filter)
    if (filter.kind !== 'condition') return { ...filter, filters: filter.filters.map(filterNow) }
    const isColumn = filter.column.steps.length > 0 || findColumn(place.before, filter.column.name)
    return { ...filter, column: isColumn ? columnNow(filter.column) : { ...filter.column, name: nameNow(filter.column.name) } }
  }
  const termNow = (term: OrderTerm): OrderTerm => {
    if (term.relation === undefined) return isOwnName(place, aliases, term.column) ? term : { ...term, column: columnNow(term.column) }
    const found = embeddings.find(({ item }) => (item.alias ?? item.relation) === term.relation) ?? missing()
    return {
      ...term,
      relation: calledNow(found, term.relation),
      column: { ...term.column, name: columnName(found.relationship, term.column.name) },
    }
  }
  const itemNow = (item: SelectItem): SelectItem => {
    if (item.kind === 'embedding') return { ...embeddings.find((each) => each.item === item)!.renamed, items: inner.get(item)! }
    return item.kind === 'column' && !isCountOfRows(place, item.column) ? { ...item, column: columnNow(item.column) } : item
  }
  // A deleted column shows no values, and another column may get its name. Without an aggregate, a query would show
  // single records instead of groups.
  const isPresent = (item: SelectItem): boolean =>
    item.kind !== 'column' ||
    isCountOfRows(place, item.column) ||
    findColumn(place.before, item.column.name) !== undefined ||
    (item.aggregate !== undefined && missing())
  const present = items.filter(isPresent)
  return {
    items: present.map(itemNow),
    level: { ...level, filters: level.filters.map(filterNow), order: level.order.map(termNow), embedded },
  }
}

const nothingAsked: Level = { filters: [], order: [], embedded: {} }

function missing(): never {
  throw new NoName()
}

/** `count`, the form of PostgREST before `count()` existed. */
const isCountOfRows = ({ before }: Place, { name, steps }: ColumnPath) =>
  name === 'count' && steps.length === 0 && !findColumn(before, name)

/** In a grouped query, the order may name an aggregate. */
const isOwnName = ({ before }: Place, aliases: readonly string[], { name }: ColumnPath) =>
  aliases.includes(name) || !findColumn(before, name)

function columnName({ before, after }: Place, name: string): string {
  const id = (findColumn(before, name) ?? missing()).id
  return (after.columns.find((column) => column.id === id) ?? missing()).name
}

/** The new name by which a query refers to an embedding: its alias stays. */
const calledNow = ({ item, renamed }: RenamedEmbedding, name: string): string => (name === item.alias ? name : renamed.relation)

function renamedLinked({ before, after }: Renaming, table: Place, { relation, condition }: LinkedFilter): LinkedFilter {
  const relationship = relationshipMeant(before, table.before, relation) ?? missing()
  const now = relationshipAfter(after, table, relationship)
  const name = namesOf(table, relationship, now, relation).find((candidate) => relationshipMeant(after, table.after, candidate) === now)
  const column = { ...condition.column, name: columnName({ before: relationship.to, after: now.to }, condition.column.name) }
  return { kind: 'linked', relation: name ?? missing(), condition: { ...condition, column } }
}

/** In the form that `planConditions` resolves. */
export function relationshipMeant(tables: Tables, table: Table, name: string): Relationship | undefined {
  const [only, ...others] = findRelationships(tables, table, name)
  return relationshipOfColumn(tables, table, name) ?? (others.length ? undefined : only)
}

const relationshipAfter = (after: Tables, table: Place, found: Relationship): Relationship =>
  relationshipsFrom(after, table.after).find((candidate) => isSameLink(candidate, found)) ?? missing()

function renamedRelation({ before, after }: Renaming, place: Place, item: Embedding): RenamedEmbedding {
  const [found, ...others] = findRelationships(before, place.before, item.relation, item.hint)
  if (!found || others.length > 0) throw new NoName()
  const now = relationshipAfter(after, place, found)
  const hints = item.hint === undefined ? [undefined] : [hintNow(found, now, item.hint), now.constraint]
  const names = namesOf(place, found, now, item.relation)
  for (const hint of hints)
    for (const relation of names) {
      const [only, ...more] = findRelationships(after, place.after, relation, hint)
      if (!only || more.length > 0 || !isSameLink(only, found)) continue
      const renamed = { ...item, relation, ...(hint === undefined ? {} : { hint }) }
      return { item, renamed, relationship: { before: found.to, after: now.to } }
    }
  throw new NoName()
}

/** Constraints keep their names when tables and columns are renamed. */
const isSameLink = (one: Relationship, other: Relationship): boolean =>
  one.to.id === other.to.id &&
  one.holder === other.holder &&
  one.constraint === other.constraint &&
  one.through?.table.id === other.through?.table.id &&
  one.through?.constraint === other.through?.constraint

/** The possible new names of the link: first of the kind that the query used, then of the others. */
function namesOf(place: Place, was: Relationship, now: Relationship, name: string): string[] {
  const ofColumn = findColumn(place.before, name)
  const asBefore = ofColumn ? [columnName(place, name)] : was.to.name === name ? [now.to.name] : [name]
  const own = now.holder === 'from' && now.columns.length === 1 ? [now.columns[0]![0]] : []
  const shown = place.after.columns.filter(({ joinTable }) => joinTable?.targetTableId === now.to.id).map((column) => column.name)
  return [...new Set([...asBefore, ...own, ...shown, now.to.name, now.constraint])]
}

/** `!hint` is a constraint, a join table or a column of the foreign key. */
function hintNow(was: Relationship, now: Relationship, hint: string): string {
  if (was.through?.table.name === hint) return now.through!.table.name
  const [own, other] = was.columns[0] ?? []
  if (hint === own) return now.columns[0]![0]
  return hint === other ? now.columns[0]![1] : hint
}
