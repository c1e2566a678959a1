import type { Statement } from './statement'

const pieces = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)/g

/**
 * A select for several sets of values at once: the rows of each set, with its `place`, from 1. The first parameters are
 * arrays, one for each of `places`, with a value per set; after them come the others unchanged.
 * @param places the parameters, from 0, that differ
 */
export function batchText({ text, parameters }: Statement, places: readonly number[]): string {
  const others = parameters.map((_, place) => place).filter((place) => !places.includes(place))
  const batched = text.replace(pieces, (piece, number?: string) => {
    if (number === undefined) return piece
    const place = Number(number) - 1
    return places.includes(place) ? `q.p${place}` : `$${places.length + others.indexOf(place) + 1}`
  })
  const lists = places.map((_, index) => `pg_catalog.unnest((select $${index + 1}::text[]))`)
  const names = places.map((place) => `p${place}`)
  return `select b.*, q.place::int as place from rows from (${lists.join(', ')}) with ordinality as q (${names.join(', ')}, place), lateral (${batched}) b`
}
