import type { ForeignKey, Table } from '../../model'
import { columnsHash } from '../columns-hash'
import { searchIndexName } from '../search-text'
import { derivedId } from './derived-id'
import type { PgRelation, PgTypes } from './introspection'
import { toColumns } from './to-columns'

const kinds: Record<string, Table['kind']> = {
  r: 'table',
  p: 'partitionedTable',
  f: 'foreignTable',
  v: 'view',
  m: 'materializedView',
}

/** Bits of pg_relation_is_updatable. */
const updatable = 4
const insertable = 8
const deletable = 16
const allEvents = updatable | insertable | deletable

/**
 * A table as PostgreSQL and, if Rowhouse made it, its metadata describe it. If nothing of the table can be read,
 * `rights.select` is false.
 */
export function toTable(relation: PgRelation, types: PgTypes): Table {
  const { schema, name, notes } = relation
  const columns = toColumns(relation, types)
  const rights = tableRightsOf(relation, columns)
  const keys = uniqueKeysOf(relation)
  return {
    id: notes?.id ?? derivedId(schema, name),
    schema,
    name,
    kind: kinds[relation.kind]!,
    primaryKey: keys.find(({ isPrimary }) => isPrimary)?.columns ?? [],
    uniqueKeys: keys.map((key) => key.columns),
    caselessKeys: keys.flatMap((key) => (key.isCaseless ? key.columns : [])),
    foreignKeys: foreignKeysOf(relation),
    columns,
    hasRowVersion: relation.granted.includes('x'),
    columnsHash: columnsHash(relation, types, columns),
    rights,
    readOnly: !(rights.insert || rights.update || rights.delete),
    isOwn: notes !== null,
    isJoinTable: relation.isJoinTable,
    actsOnStatements: relation.actsOnStatements,
    leavesOutChanges: relation.leavesOutChanges,
    runsFunctions: relation.runsFunctions,
    changesWritten: relation.changesWritten,
    isLogged: relation.isLogged,
    createdAt: notes?.createdAt ?? null,
    displayColumnId: notes?.displayColumnId ?? null,
    section: notes?.section ?? null,
    position: notes?.position ?? null,
    searchIndex: searchIndexOf(relation, columns),
  }
}

function searchIndexOf({ notes, searchIndexes }: PgRelation, columns: Table['columns']): Table['searchIndex'] {
  const name = notes && searchIndexName({ id: notes.id, columns })
  return { isOn: notes?.isSearchIndexed ?? false, ready: searchIndexes.find((index) => index.name === name) ?? null }
}

function tableRightsOf(relation: PgRelation, columns: Table['columns']): Table['rights'] {
  const { isOpen, granted, extension } = relation
  const can = eventsOf(relation)
  const may = (letter: string) =>
    isOpen && (granted.includes(letter) || relation.columns.some((column) => column.granted?.includes(letter)))
  return {
    select: extension === null && (columns.some(({ isReadable }) => isReadable) || (columns.length === 0 && may('r'))),
    insert: may('a') && (can & insertable) > 0,
    update: may('w') && (can & updatable) > 0,
    delete: isOpen && granted.includes('d') && (can & deletable) > 0,
  }
}

const eventsOf = ({ kind, events }: PgRelation): number => (kind === 'm' ? 0 : (events ?? allEvents))

/** PostgreSQL checks a deferrable constraint only at the end of the transaction, so `on_conflict` cannot name it. */
function uniqueKeysOf({ uniqueKeys, columns }: PgRelation): { isPrimary: boolean; isCaseless: boolean; columns: string[] }[] {
  const keys = uniqueKeys.filter(({ isPrimary, isImmediate }) => isPrimary || isImmediate)
  const bySubject = Map.groupBy(keys, (key) => key.columns.join())
  return keys
    .filter((key) => bySubject.get(key.columns.join())!.toSorted((one, other) => strictness(other) - strictness(one))[0] === key)
    .map((key) => ({ ...key, columns: key.columns.map((number) => relationNameOf(columns, number)) }))
}

/** Decides between two keys of the same columns: first the primary key, then the one that ignores case. */
const strictness = ({ isPrimary, isCaseless }: PgRelation['uniqueKeys'][number]): number => (isPrimary ? 2 : isCaseless ? 1 : 0)

const foreignKeysOf = ({ foreignKeys, columns }: PgRelation): ForeignKey[] =>
  foreignKeys.map((key) => ({
    name: key.name,
    columns: key.columns.map((number) => relationNameOf(columns, number)),
    target: { schema: key.schema, name: key.table },
    targetColumns: key.targetColumns,
  }))

const relationNameOf = (columns: PgRelation['columns'], number: number): string => columns.find((column) => column.number === number)!.name
