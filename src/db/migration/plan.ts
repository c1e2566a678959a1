import type { Sql } from 'postgres'
import { lastMigration } from '../schema/own-tables'
import { pendingSteps } from './migrate'
import type { Migration } from './migrations.macro'

/** One step that an upgrade would apply. `isAdditive`: it only adds objects and changes no existing one. */
type PlannedStep = { name: string; isAdditive: boolean }

/** `from` is the last applied step; null for a database that Rowhouse has not used before. */
export type MigrationPlan = { from: string | null; steps: PlannedStep[] }

/**
 * The plan of `migrate`. Writes nothing.
 * @throws MigrationRefused like `migrate`
 */
export async function planMigration(sql: Sql): Promise<MigrationPlan> {
  const from = await lastMigration(sql)
  const added = new Set<string>()
  const steps = (await pendingSteps(sql)).map((step) => ({ name: step.name, isAdditive: isAdditive(step, added) }))
  return { from, steps }
}

const creation = /^create (?:unique )?(?:table|index|function|trigger|schema|sequence|type|view)\b/i
const createdTable = /^create table (?!if not exists )(\S+)/i
const alteredTable = /^alter table (?:only )?(\S+) (.*)$/is
const comment = /^comment on /i

/** @param added the tables that earlier steps of the same upgrade create; this step adds its own */
export function isAdditive({ statements }: Pick<Migration, 'statements'>, added: Set<string> = new Set()): boolean {
  return statements.flatMap(withoutComments).every((statement) => {
    const table = createdTable.exec(statement)?.[1]
    if (hasSeveral(statement)) return false
    if (table) added.add(table)
    if (creation.test(statement) || comment.test(statement)) return true
    const [, altered, change] = alteredTable.exec(statement) ?? []
    if (!altered || !change) return false
    return added.has(altered) || /^add column (?!.*\bnot null\b)(?!.*,\s*(?:drop|alter|rename|add constraint)\b)/is.test(change)
  })
}

/** Several statements in one text; statements in a function's body do not count. */
const hasSeveral = (statement: string): boolean => !/^create function\b/i.test(statement) && statement.replace(/;\s*$/, '').includes(';')

function withoutComments(statement: string): string[] {
  const text = statement
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('--'))
    .join('\n')
    .trim()
  return text === '' ? [] : [text]
}
