import type { TableView } from '../../../../tables/model'
import { locale } from '../../language'

/** The tables under one heading of the sidebar, or without one. Only tables that Rowhouse created have a section. */
export type TableGroup = { key: string; schema: string; section: string | null; heading: string | null; tables: TableView[] }

/** The place of a table in the sidebar, as `PATCH /api/v1/tables/{tableId}` accepts it. */
export type TablePlace = { section: string | null; position?: number }

/** @param tables by name @returns the tables without a section, then the sections by name, then the other schemas */
export function tableGroups(tables: readonly TableView[]): TableGroup[] {
  const byName = new Intl.Collator(locale(), { numeric: true })
  const groups = Map.groupBy(tables.toSorted(byPosition), groupKey)
  return [...groups]
    .map(([key, list]) => {
      const { schema, section } = list[0]!
      return { key, schema, section, heading: schema === 'data' ? section : schema, tables: list }
    })
    .sort((one, other) => rank(one) - rank(other) || byName.compare(one.section ?? '', other.section ?? ''))
}

export const groupKey = ({ schema, section }: TableView): string => JSON.stringify([schema, section])

const positionOf = ({ position }: TableView): number => position ?? Number.MAX_SAFE_INTEGER
const byPosition = (one: TableView, other: TableView): number => positionOf(one) - positionOf(other)

const rank = ({ schema, section }: TableGroup): number => (schema !== 'data' ? 2 : section === null ? 0 : 1)

/** Only tables that Rowhouse created can be moved, and only those count in a position. */
export const movableTables = ({ tables }: TableGroup): TableView[] => tables.filter(({ createdAt }) => createdAt !== null)

/**
 * The drop target of a dragged table: the upper or lower half of a table or, if `tableId` is null, a heading, which
 * means the place above its first table.
 */
export type DropTarget = { key: string; tableId: string | null; isBelow: boolean }

/** @returns null if the table is already there, or cannot be moved there */
export function placeAt(groups: readonly TableGroup[], dragged: TableView, { key, tableId, isBelow }: DropTarget): TablePlace | null {
  const group = groups.find((each) => each.key === key)
  if (group?.schema !== 'data' || tableId === dragged.id) return null
  const others = group.tables.filter(({ id }) => id !== dragged.id)
  const before = others.slice(0, tableId === null ? 0 : others.findIndex(({ id }) => id === tableId) + Number(isBelow))
  const target = { section: group.section, position: movableTables({ ...group, tables: before }).length }
  return movableTables(group)[target.position]?.id === dragged.id ? null : target
}
