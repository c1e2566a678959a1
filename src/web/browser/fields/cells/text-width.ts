/** More texts than a window shows. A cache that exceeds this size is cleared. */
const maxCached = 5000

const cache = new Map<string, number>()
let canvas: CanvasRenderingContext2D | null = null

/** The width of a text in chips, in pixels. Measuring it needs no layout of the page. */
export function textWidth(text: string): number {
  const cached = cache.get(text)
  if (cached !== undefined) return cached
  canvas ??= document.createElement('canvas').getContext('2d')
  if (!canvas) return text.length * 7
  canvas.font = `12px ${getComputedStyle(document.body).fontFamily}`
  const { width } = canvas.measureText(text)
  if (cache.size > maxCached) cache.clear()
  cache.set(text, width)
  return width
}

/**
 * How many boxes fit into lines of a given width if a mark replaces those that do not fit. At least one, which may be
 * cut off.
 * @param widths of the boxes, in pixels, like the other parameters
 */
export function fittingCount(
  widths: readonly number[],
  { width, lines, gap, mark }: { width: number; lines: number; gap: number; mark: number },
): number {
  const count = (reserved: number) => {
    let [line, end] = [1, 0]
    for (const [index, full] of widths.entries()) {
      const box = Math.min(full, width)
      if (end > 0 && end + gap + box > width && line < lines) [line, end] = [line + 1, 0]
      const next = end + (end > 0 ? gap : 0) + box
      if (next > width - (line === lines ? reserved : 0)) return index
      end = next
    }
    return widths.length
  }
  return count(0) === widths.length ? widths.length : Math.max(1, count(mark + gap))
}
