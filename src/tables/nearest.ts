/** The word most similar to the given one, if it is close enough to be a typing error. */
export function nearest(text: string, words: readonly string[]): string | undefined {
  const word = text.slice(0, 64).toLowerCase()
  const closest = words
    .map((name) => ({ name, distance: distance(word, name.toLowerCase()) }))
    .reduce<{ name: string; distance: number } | undefined>(
      (best, next) => (best && best.distance <= next.distance ? best : next),
      undefined,
    )
  return closest && closest.distance <= Math.max(1, Math.floor(word.length / 3)) ? closest.name : undefined
}

/** Optimal string alignment: one for each letter that is added, left out, replaced, or swapped with its neighbour. */
function distance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, replaced, isSwap ? before[j - 2]! + 1 : replaced)
    }
    before = row
    row = next
  }
  return row[other.length]!
}
