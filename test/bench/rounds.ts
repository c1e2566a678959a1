import type { Measured } from './load'
import { count, median, ms, type Row } from './table'

/** `each` are the requests per second of every round. */
export type InRounds = Measured & { each: number[] }

/**
 * Measures each kind once in each round, one after the other, so that a slow moment of the machine falls on all of
 * them.
 * @param settle comes before each measurement, for what the one before has left behind
 * @returns the medians of the rounds
 */
export async function inRounds<Kind extends string>(
  kinds: Record<Kind, () => Promise<Measured>>,
  settle: () => Promise<unknown> = async () => {},
  rounds = 3,
): Promise<Record<Kind, InRounds>> {
  const entries = Object.entries(kinds) as [Kind, () => Promise<Measured>][]
  const measured = new Map<Kind, Measured[]>(entries.map(([kind]) => [kind, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [kind, once] of entries) {
      await settle()
      measured.get(kind)!.push(await once())
    }
  }
  return Object.fromEntries([...measured].map(([kind, values]) => [kind, middle(values)])) as Record<Kind, InRounds>
}

/**
 * Of two that are measured one right after the other, by what one is faster: the median of the rounds, since the
 * machine is faster in some than in others.
 */
export const factorOf = (one: InRounds, other: InRounds): number =>
  median(one.each.map((perSecond, round) => perSecond / other.each[round]!))

const middle = (values: Measured[]): InRounds => ({
  each: values.map(({ perSecond }) => perSecond),
  perSecond: median(values.map(({ perSecond }) => perSecond)),
  p50Ms: median(values.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(values.map(({ p99Ms }) => p99Ms)),
  ...(values.every(({ cpuMs }) => cpuMs !== undefined) ? { cpuMs: median(values.map(({ cpuMs }) => cpuMs!)) } : {}),
})

/** A line of requests per second. */
export const rate = (what: string, { perSecond, p50Ms, p99Ms }: Measured, more: Partial<Row> = {}): Row => ({
  what,
  figure: `${count(perSecond)}/s`,
  p50: ms(p50Ms),
  p99: ms(p99Ms),
  ...more,
})
