import { choiceColors, colorOfText } from '../../../tables/choice-colors'

type Listed = { id: string; createdAt: string | null }

/** Gray does not distinguish tables. */
const palette: readonly string[] = choiceColors.filter((color) => color !== 'gray')

const cache = new WeakMap<readonly Listed[], Map<string, string>>()

/**
 * A color for each table: the color derived from its id or, if fewer older tables use other colors, the next of the
 * least used ones. A new table does not change the colors of others.
 */
export function tableColors(tables: readonly Listed[]): Map<string, string> {
  const cached = cache.get(tables)
  if (cached) return cached
  const colors = new Map<string, string>()
  const uses = new Map<string, number>()
  const usesOf = (color: string) => uses.get(color) ?? 0
  for (const { id } of tables.toSorted(byAge)) {
    const start = Math.max(0, palette.indexOf(colorOfText(id)))
    const turned = [...palette.slice(start), ...palette.slice(0, start)]
    const color = turned.reduce((best, each) => (usesOf(each) < usesOf(best) ? each : best))
    uses.set(color, usesOf(color) + 1)
    colors.set(id, color)
  }
  cache.set(tables, colors)
  return colors
}

/** Tables that Rowhouse did not create have no age, and come last. */
const byAge = (one: Listed, other: Listed): number =>
  (one.createdAt ?? '9999').localeCompare(other.createdAt ?? '9999') || one.id.localeCompare(other.id)
