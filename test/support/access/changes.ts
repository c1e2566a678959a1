import { betweens } from './build'
import { canariesIn } from './canary'
import type { Row, State } from './document'
import type { Sight } from './sight'
import { isStored, type World, type WorldColumn, type WorldTable } from './world'

/**
 * The problem with the difference between two states: a row or cell has changed that the caller may not change. Null if
 * there is none.
 */
export function forbiddenChange(world: World, before: Sight, after: Sight): string | null {
  for (const table of world.tables) {
    if (table.shows) continue
    const found = tableChange(world, table, before, after)
    if (found) return `${table.name}: ${found}`
  }
  for (const { between, from } of betweens(world)) {
    const found = linksChange(world, from, between, before, after)
    if (found) return `${between}: ${found}`
  }
  return null
}

/** A table and its views: an action that is forbidden on one may be allowed on the other. */
const waysTo = ({ tables }: World, table: WorldTable): WorldTable[] => [table, ...tables.filter(({ shows }) => shows === table.name)]

function tableChange(world: World, table: WorldTable, before: Sight, after: Sight): string | null {
  const ways = waysTo(world, table)
  const [old, now] = [before.state[table.name]!, after.state[table.name]!]
  // An upsert by another column may give a record another key: its canaries show which record it was.
  const isSame = (one: Row, other: Row) =>
    ['secret', 'name', 'num'].some((name) => canariesIn(one[name]).length > 0 && one[name] === other[name])
  const found = (rows: Row[], row: Row) =>
    rows.find((other) => other[table.key] === row[table.key]) ??
    (table.key === 'code' ? rows.find((other) => isSame(other, row)) : undefined)
  for (const row of old) {
    const changed = found(now, row)
    if (!changed) {
      if (!ways.some((way) => before.canRead(way, row) && before.can(way, 'delete', row))) return `deleted ${JSON.stringify(row)}`
      continue
    }
    const columns = table.columns.filter((column) => isStored(column) && column.kind !== 'formula' && isChanged(row, changed, column))
    const own = columns.filter(
      (column) => !isCascade(before, after, column, row) && !isThroughBack(world, table, column, row, changed, before),
    )
    const isAllowed = ways.some(
      (way) =>
        before.canRead(way, row) &&
        own.every(({ name }) => before.can(way, 'update', row, name) && after.can(way, 'update', changed, name)),
    )
    if (own.length > 0 && !isAllowed)
      return `changed ${own.map(({ name }) => name)} of ${JSON.stringify(row)} to ${JSON.stringify(changed)}`
  }
  for (const row of now) {
    if (found(old, row)) continue
    const given = table.columns.filter(
      (column) =>
        isStored(column) && column.kind !== 'formula' && column.kind !== 'key' && column.kind !== 'files' && row[column.name] !== null,
    )
    const isAllowed = ways.some((way) => after.can(way, 'create', row) && given.every(({ name }) => after.can(way, 'create', row, name)))
    if (!isAllowed) return `created ${JSON.stringify(row)}`
  }
  return null
}

const isChanged = (one: Row, other: Row, { name }: WorldColumn) => JSON.stringify(one[name]) !== JSON.stringify(other[name])

/** A link to a deleted record is emptied by the database. */
const isCascade = (before: Sight, after: Sight, { kind, name, target }: WorldColumn, row: Row) =>
  kind === 'link' && before.state[target!]!.some(({ id }) => id === row[name]) && !after.state[target!]!.some(({ id }) => id === row[name])

/**
 * Writing the other side of a link changes the link of a record, which requires that all of its rows may be changed.
 */
function isThroughBack(world: World, table: WorldTable, { name }: WorldColumn, row: Row, changed: Row, sight: Sight): boolean {
  const sides = world.tables.flatMap((other) =>
    other.columns
      .filter(({ kind, target, column }) => kind === 'back' && target === table.name && column === name)
      .map((back) => ({ other, back })),
  )
  return sides.some(({ other, back }) => {
    const touched = [row[name], changed[name]].flatMap((key) => sight.state[other.name]!.filter(({ id }) => id === key))
    return touched.some((mine) => sight.can(other, 'update', mine, back.name)) && sight.can(table, 'update', row, name)
  })
}

/** A link may be changed by a caller who may change one of its sides, and may see the other end. */
function linksChange(world: World, from: WorldTable, between: string, before: Sight, after: Sight): string | null {
  const to = world.tables.find(({ name }) => name === from.columns.find((column) => column.between === between)!.target)!
  const column = from.columns.find((candidate) => candidate.between === between)!
  const back = to.columns.find((candidate) => candidate.between === between && candidate.kind === 'backs')
  const pairs = (state: State) => state[between]!.map((pair) => JSON.stringify(Object.values(pair)))
  const [old, now] = [new Set(pairs(before.state)), new Set(pairs(after.state))]
  for (const pair of [...old.symmetricDifference(now)]) {
    const [own, other] = JSON.parse(pair) as [number, number]
    const end = (sight: Sight, table: WorldTable, id: number) => sight.state[table.name]!.find((row) => row.id === id)
    const isGone = !end(after, from, own) || !end(after, to, other)
    if (isGone) continue
    const changes = (sight: Sight, table: WorldTable, id: number, name: string) => {
      const row = end(sight, table, id)
      return row ? sight.can(table, 'update', row, name) : false
    }
    const creates = (table: WorldTable, id: number, name: string) =>
      !end(before, table, id) && after.can(table, 'create', end(after, table, id)!, name)
    const mayWrite = (table: WorldTable, id: number, name: string) => changes(before, table, id, name) || creates(table, id, name)
    const knows = (table: WorldTable, id: number) =>
      [before, after].some((sight) => end(sight, table, id) && sight.canRead(table, end(sight, table, id)!))
    const isBackOpen = back && before.isOpenFromBack(from, column.name) && mayWrite(to, other, back.name)
    const isAllowed = (mayWrite(from, own, column.name) && knows(to, other)) || (isBackOpen && knows(from, own))
    if (!isAllowed) return `${old.has(pair) ? 'took away' : 'added'} ${pair}`
  }
  return null
}
