import type { Stored } from '../store'
import { nextSegment, readObjectName } from '../wal/segment'

/** `isBroken`: a part of the log is missing, with more of it later. */
export type LogWindow = { until: Date | null; isBroken: boolean }

type Segment = { segment: string; archivedAt: number }

/**
 * How far a backup can be followed along the segments of its archive, by when they were archived. What a backup needs
 * was archived after it began; it has to go on from the segment before without a gap.
 */
export function windowOf(segments: ReadonlyMap<string, Stored>, createdAt: Date): LogWindow {
  const times = new Map<string, number>()
  for (const [name, { changedAt }] of segments) {
    const segment = readObjectName(name)?.segment
    // Two of one name belong to different logs.
    if (segment) times.set(segment, times.has(segment) ? Number.NaN : changedAt.getTime())
  }
  const all = [...times].map(([segment, archivedAt]): Segment => ({ segment, archivedAt })).toSorted(bySegment)
  const first = all.findIndex(({ archivedAt }) => !(archivedAt < createdAt.getTime()))
  if (first === -1) return { until: null, isBroken: false }
  let before = all[first - 1]?.segment
  let until: Date | null = null
  for (const { segment, archivedAt } of all.slice(first)) {
    if (Number.isNaN(archivedAt) || (before !== undefined && segment !== nextSegment(before))) return { until, isBroken: true }
    until = new Date(archivedAt)
    before = segment
  }
  return { until, isBroken: false }
}

const bySegment = (one: Segment, other: Segment) => (one.segment < other.segment ? -1 : 1)

/** A time that can be restored to, with its end. */
export type TimeWindow = { from: Date; until: Date }

/** All windows together, the earliest first; those that touch are one. */
export function mergeWindows(windows: readonly TimeWindow[]): TimeWindow[] {
  const merged: TimeWindow[] = []
  for (const { from, until } of windows.toSorted((one, other) => Number(one.from) - Number(other.from))) {
    const last = merged.at(-1)
    if (last && from <= last.until) last.until = new Date(Math.max(Number(until), Number(last.until)))
    else merged.push({ from, until })
  }
  return merged
}
