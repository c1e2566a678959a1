/** The maximum number of gaps of blank lines between records; each takes a few bytes of memory until the end. */
const maxGaps = 1_000_000

/** The omitted lines of a file, by the number of retained lines before them. */
export class LineGaps {
  /** `before` is the number of lines in earlier gaps. */
  private readonly gaps: { after: number; lines: number; before: number }[] = []

  /** @returns false if there are too many gaps; further ones are not counted */
  add(after: number, lines: number): boolean {
    const gap = this.gaps.at(-1)
    if (gap?.after === after) gap.lines += lines
    else if (this.gaps.length <= maxGaps) {
      this.gaps.push({ after, lines, before: gap ? gap.before + gap.lines : 0 })
      return this.gaps.length <= maxGaps
    }
    return true
  }

  /** The number of omitted lines before a retained line, which is counted from 1. */
  linesBefore(line: number): number {
    const gap = this.gaps[firstWhere(this.gaps.length, (index) => this.gaps[index]!.after >= line) - 1]
    return gap ? gap.before + gap.lines : 0
  }
}

/** The first index at which a condition holds; it also holds at all later ones. The length if it holds nowhere. */
export function firstWhere(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
