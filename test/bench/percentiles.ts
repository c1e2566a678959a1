/** Of durations in milliseconds, in any order. */
export function percentiles(durationsMs: number[]): { p50Ms: number; p99Ms: number } {
  const sorted = [...durationsMs].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { p50Ms: at(0.5), p99Ms: at(0.99) }
}
