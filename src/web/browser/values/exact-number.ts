/**
 * The number of a text, or the text itself if it is not a number or JavaScript would round it: `9007199254740993`.
 */
export function toExactNumber(text: string): number | string {
  const number = Number(text)
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : text
}
