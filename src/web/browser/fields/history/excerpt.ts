/** The number of characters shown of a long text. */
const shownLength = 160

/** The number of characters shown before the first difference. */
const leadLength = 40

const cut = (text: string, from: number): string =>
  `${from > 0 ? '…' : ''}${text.slice(from, from + shownLength)}${text.length > from + shownLength ? '…' : ''}`

/** Cuts two long texts to the part where they begin to differ. */
export function excerpts(before: string, after: string): [before: string, after: string] {
  if (Math.max(before.length, after.length) <= shownLength) return [before, after]
  let same = 0
  while (same < Math.min(before.length, after.length) && before[same] === after[same]) same++
  const start = before === '' || after === '' ? 0 : Math.max(0, same - leadLength)
  // A cut must not split a surrogate pair.
  const from = /[\uDC00-\uDFFF]/.test(before[start] ?? after[start] ?? '') ? start + 1 : start
  return [cut(before, from), cut(after, from)]
}
