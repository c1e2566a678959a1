import { type DumpEntry, readEntries } from '../database-copy/comparison'
import { ownTrigger } from './journal'

/** The definitions that a move creates in the new database, grouped by the time of their creation. */
export type MovedDefinitions = {
  /** Types, functions, tables. */
  beforeRows: DumpEntry[]
  /** Indexes and the constraints that need them; materialized views. */
  behindRows: DumpEntry[]
  /** Objects that would affect the copying of rows if they already existed: foreign keys, triggers, rules, policies. */
  atSwitch: DumpEntry[]
  /** Statements that check the foreign keys, which the switch creates without checking them. */
  checks: string[]
  /** Entries that the move omits. */
  left: string[]
}

/** `roles` are those of the new database; `owner` is the role of the service in the old one. */
export type NewPlace = { schemas: readonly string[]; roles: readonly string[]; extensions: readonly string[]; owner: string }

const actsOnRows = /^(FK CONSTRAINT|TRIGGER|RULE|POLICY|ROW SECURITY|COMMENT)$/
const ownEventTrigger = /^Name: rowhouse_(ddl|drop); /
const nameIn = (label: string) => /^Name: (.*); Type: /.exec(label)?.[1] ?? label

/** The event triggers of a service, which it creates itself if it has the privilege, and the triggers of the move. */
const isOurs = ({ type, label }: DumpEntry) =>
  (type === 'EVENT TRIGGER' && ownEventTrigger.test(label)) || (type === 'TRIGGER' && ownTrigger.test(label))

/** The dump without the objects that the move itself has added, for comparisons. */
export const withoutJournal = (dump: string): string =>
  readEntries(dump)
    .filter((entry) => !isOurs(entry))
    .map(textOf)
    .join('\n')

export const textOf = ({ label, body }: DumpEntry): string => `-- ${label}\n${body}\n`

/** @param before and after are pg_dump's sections pre-data and post-data */
export function planDefinitions(before: string, after: string, place: NewPlace): MovedDefinitions {
  const left = new Set<string>()
  const keep = (entry: DumpEntry): DumpEntry[] => {
    const { type, label, body } = entry
    const name = nameIn(label)
    if (isOurs(entry) || (type === 'COMMENT' && /^EXTENSION /.test(name))) return []
    if (type === 'SCHEMA' && place.schemas.includes(name)) return []
    if (type === 'EVENT TRIGGER') left.add(`the event trigger ${name}`)
    if (type === 'EXTENSION' && !place.extensions.includes(name)) left.add(`the extension ${name}, which is not available there`)
    if (type === 'EVENT TRIGGER' || (type === 'EXTENSION' && !place.extensions.includes(name))) return []
    if (type !== 'ACL' && type !== 'DEFAULT ACL') return [entry]
    const { text, missing } = rightsFor(body, place)
    for (const role of missing) left.add(`the rights of the role ${role}, which is not there`)
    return text === '' ? [] : [{ ...entry, body: text }]
  }
  const later = readEntries(after).flatMap(keep)
  return {
    beforeRows: readEntries(before).flatMap(keep),
    behindRows: later.filter(({ type }) => !actsOnRows.test(type)),
    atSwitch: later.filter(({ type }) => actsOnRows.test(type)).map((entry) => (foreignKey.test(entry.body) ? unchecked(entry) : entry)),
    checks: later.flatMap(({ body }) => {
      const [, table, name] = foreignKey.exec(body) ?? []
      return table === undefined ? [] : [`alter table ${table} validate constraint ${name}`]
    }),
    left: [...left],
  }
}

/**
 * The foreign key of an ordinary table. Some versions cannot create an unchecked foreign key on a partitioned table.
 */
const foreignKey = /^ALTER TABLE ONLY (.+)\n\s+ADD CONSTRAINT (.+?) FOREIGN KEY (?!.* NOT VALID;)/m

/**
 * The rows satisfied the constraint in the old database and are compared, so checking them again would only prolong the
 * switch.
 */
const unchecked = (entry: DumpEntry): DumpEntry => ({ ...entry, body: entry.body.replace(/;(\s*)$/, ' NOT VALID;$1') })

const grant = /^(?:ALTER DEFAULT PRIVILEGES .*)?\b(?:GRANT|REVOKE) .* (?:TO|FROM) ("(?:[^"]|"")+"|\w+)(?: WITH GRANT OPTION)?;$/

/** The privileges of roles that exist in the new database. The owner's privileges come with the table. */
function rightsFor(body: string, { roles, owner }: NewPlace): { text: string; missing: string[] } {
  const missing: string[] = []
  const lines = body.split('\n').filter((line) => {
    const quoted = grant.exec(line)?.[1]
    if (quoted === undefined) return false
    const role = quoted.startsWith('"') ? quoted.slice(1, -1).replaceAll('""', '"') : quoted
    if (role === owner) return false
    const giver = /^ALTER DEFAULT PRIVILEGES FOR ROLE ("(?:[^"]|"")+"|\w+) /.exec(line)?.[1] ?? owner
    if (giver !== owner) missing.push(giver)
    else if (role === 'PUBLIC' || roles.includes(role)) return true
    else missing.push(role)
    return false
  })
  const asOwner = lines.map((line) => line.replace(`ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} `, 'ALTER DEFAULT PRIVILEGES '))
  return { text: asOwner.join('\n'), missing }
}
