/** A span of time to which a restore is possible. */
export type TimeWindow = { from: Date; until: Date }

/** Combines all windows, earliest first; windows that touch are merged. */
export function mergeWindows(windows: readonly TimeWindow[]): TimeWindow[] {
  const merged: TimeWindow[] = []
  for (const { from, until } of windows.toSorted((one, other) => Number(one.from) - Number(other.from))) {
    const last = merged.at(-1)
    if (last && from <= last.until) last.until = new Date(Math.max(Number(until), Number(last.until)))
    else merged.push({ from, until })
  }
  return merged
}
