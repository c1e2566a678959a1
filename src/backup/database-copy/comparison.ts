/** An object in the text of pg_dump. `label` has its name, type, schema and owner. */
export type DumpEntry = { label: string; type: string; body: string }

/** The differences between two dumps, as labels of objects. */
export type DumpDifference = { missing: string[]; added: string[]; changed: string[] }

const header = /^-- (?:Data for )?Name: .*; Type: (.*); Schema: .*; Owner: .*$/

/** The text after an object: the first line of the next one, or the end. */
const nextBegins = /\s*\n--(\n-- PostgreSQL database dump complete\n--)?\s*$/

/**
 * Kinds of objects that PostgreSQL stores as parse trees and prints as SQL. Parsed again, its own text can become a
 * different tree: `(array['a'::varchar])::text[]` becomes `array[('a'::varchar)::text]`.
 */
const written = /^(TABLE|DOMAIN|DEFAULT|CONSTRAINT|CHECK CONSTRAINT|INDEX|VIEW|MATERIALIZED VIEW|RULE|POLICY|TRIGGER|STATISTICS)$/

/** Compares the objects of two dumps, in any order. */
export function compareDumps(one: string, other: string): DumpDifference {
  const left = toMap(readEntries(one))
  const right = toMap(readEntries(other))
  const labels = [...left.keys()]
  return {
    missing: labels.filter((label) => !right.has(label)),
    added: [...right.keys()].filter((label) => !left.has(label)),
    changed: labels.filter((label) => right.has(label) && !isSame(left.get(label)!, right.get(label)!)),
  }
}

/** The number of objects of each kind, such as TABLE and INDEX. */
export function countKinds(dump: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { type } of readEntries(dump)) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}

export function readEntries(dump: string): DumpEntry[] {
  const entries: DumpEntry[] = []
  for (const line of dump.split('\n')) {
    const type = header.exec(line)?.[1]
    const last = entries.at(-1)
    if (type !== undefined) entries.push({ label: line.slice(3), type, body: '' })
    else if (last) last.body += `${line}\n`
  }
  return entries.map(({ body, ...entry }) => ({ ...entry, body: body.replace(nextBegins, '') }))
}

/** Objects may share a label, such as privileges granted by several roles. */
function toMap(entries: DumpEntry[]): Map<string, DumpEntry> {
  const found = new Map<string, DumpEntry>()
  for (const entry of entries) {
    const same = found.get(entry.label)
    if (same) same.body += entry.body
    else found.set(entry.label, entry)
  }
  return found
}

const isSame = (one: DumpEntry, other: DumpEntry) =>
  one.body === other.body || (written.test(one.type) && withoutCasts(one.body) === withoutCasts(other.body))

const castPattern =
  /::(?:character varying|double precision|bit varying|(?:timestamp|time)(?:\(\d\))? with(?:out)? time zone|(?:"(?:[^"]|"")+"|\w+)(?:\.(?:"(?:[^"]|"")+"|\w+))?)(?:\(\d+(?:,-?\d+)?\))?(?:\[\])*/g

const withoutCasts = (text: string) => text.replace(castPattern, '').replace(/[()\s]+/g, '')
