import { recordAudit } from '../auth/audit/audit-log'
import { Failure } from '../errors'
import { comparisonsIn } from '../records/query/plan/comparisons'
import { isNaming, type Renaming, renamedQuery } from '../records/query/plan/renames'
import type { RuleText, StoredRule } from '../tables/access-source'
import type { FindComparisons, FollowRename, NamingTexts, RenamedNames, Tables } from '../tables/catalog/catalog'
import type { Table } from '../tables/model'
import { differenceOf } from './document'
import { toAccessRule } from './document-rules'
import { type Action, actions } from './model'
import { findRuleCondition, printRule, readRule } from './rule-condition'

/**
 * Updates the access document when a table or a column is renamed, so that its lines keep their meaning. Tables and
 * lists of columns are stored by id, and the filters of rules by name.
 */
const followNameInRules: FollowRename = async ({ query, names, before, after, source }) => {
  const [row] = await query<{ rules: string }>('select rules::text as rules from rowhouse.access_document for update')
  const stored = JSON.parse(row!.rules) as StoredRule[]
  if (!stored.some((rule) => isConcerned(before, rule, names))) return
  const renaming: Renaming = { before, after: await after() }
  const isChanged = (rule: StoredRule, lines: readonly StoredRule[]) =>
    !Bun.deepEquals(
      [shownIn(before, rule)],
      lines.map((line) => shownIn(renaming.after, line)),
    )
  let hasChanged = false
  const rules = stored.flatMap((rule) => {
    if (!isConcerned(before, rule, names)) return [rule]
    const lines = renamedLines(renaming, rule, names)
    hasChanged ||= isChanged(rule, lines)
    return lines
  })
  if (!hasChanged) return
  const id = Bun.randomUUIDv7()
  const { removed, added } = differenceOf(stored, rules)
  const [from, to] = names
  await query(saveStatement, [
    JSON.stringify(rules),
    source?.actorId ?? null,
    id,
    ...[removed, added, { from, to }].map((part) => JSON.stringify(part)),
  ])
  if (source) await recordAudit({ query }, { ...source, kind: 'access_changed', result: 'ok', subjectId: id })
}

const saveStatement = `with saved as (update rowhouse.access_document set rules = $1::jsonb, version = version + 1, updated_at = now(),
    updated_by = $2::uuid returning version)
  insert into rowhouse.access_changes (id, user_id, version, removed, added, renamed)
    select $3::uuid, $2::uuid, version, $4::jsonb, $5::jsonb, $6::jsonb from saved`

/** In the form of API responses, except for the names of groups. */
const shownIn = (tables: Tables, rule: StoredRule) => toAccessRule(tables, new Map(), rule)

function isConcerned({ byId }: Tables, rule: StoredRule, names: RenamedNames): boolean {
  const table = rule.tableId === undefined ? undefined : byId.get(rule.tableId)
  const listed = [...(rule.columns?.read ?? []), ...(rule.columns?.write ?? [])]
  return (
    table?.name === names[0] ||
    table?.columns.some(({ id, name }) => name === names[0] && listed.includes(id)) === true ||
    actions.some((action) => isRuleNaming(rule[action], names))
  )
}

/** A filter that contains neither name is unchanged. */
function isRuleNaming(text: RuleText, names: RenamedNames): boolean {
  const query = findRule(text)
  return query !== null && isNaming(query, names)
}

function findRule(text: RuleText): ReturnType<typeof readRule> | null {
  if (text === 'all' || text === 'none') return null
  try {
    return readRule(text)
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

/** A filter with the same meaning under the new names; unchanged if it does not fit its table, before or after. */
function renamedRule(renaming: Renaming, tableId: string, text: RuleText): RuleText {
  const rule = findRule(text)
  const renamed = rule && renamedQuery(renaming, tableId, rule)
  return !renamed || Bun.deepEquals(renamed, rule) ? text : printRule(renamed)
}

function renamedLines(renaming: Renaming, rule: StoredRule, names: RenamedNames): StoredRule[] {
  const { tableId } = rule
  if (tableId === undefined) return renamedForAll(renaming, rule, names)
  const texts = actions.map((action) => [action, renamedRule(renaming, tableId, rule[action])])
  return [{ ...rule, table: renaming.after.byId.get(tableId)?.name ?? rule.table, ...Object.fromEntries(texts) }]
}

/**
 * A line for all tables. If its filter changes for some tables only, these tables get separate lines, unless the filter
 * fitted no other tables.
 */
function renamedForAll(renaming: Renaming, rule: StoredRule, names: RenamedNames): StoredRule[] {
  const all = { ...rule }
  const own = new Map<string, Partial<Record<Action, RuleText>>>()
  for (const action of actions) {
    const text = rule[action]
    if (!isRuleNaming(text, names)) continue
    const texts = new Map(fitting(renaming.before, text).map(({ id }) => [id, renamedRule(renaming, id, text)]))
    const changed = [...texts].filter(([, renamed]) => renamed !== text)
    if (changed.length === 0) continue
    const [only, ...others] = new Set(texts.values())
    const isOfAll = others.length === 0 && fitting(renaming.after, only!).every(({ id }) => texts.has(id))
    if (isOfAll) all[action] = only!
    else {
      if (fitting(renaming.after, text).length === 0) all[action] = 'none'
      for (const [id, renamed] of changed) own.set(id, { ...own.get(id), [action]: renamed })
    }
  }
  const nothing = { read: 'none', create: 'none', update: 'none', delete: 'none' }
  const { group, groupId } = rule
  const lines = [...own].map(([tableId, texts]): StoredRule => {
    const table = renaming.after.byId.get(tableId)!.name
    return { group, ...(groupId === undefined ? {} : { groupId }), table, tableId, ...nothing, ...texts }
  })
  return [all, ...lines]
}

const fitting = (tables: Tables, text: RuleText): Table[] =>
  tables.list.filter((table) => !table.isJoinTable && findRuleCondition(tables, table, text) !== null)

/** A rule for all tables applies to each table that has its columns. */
const findComparisonsInRules: FindComparisons = async (_query, tables) =>
  (tables.access?.rules ?? []).flatMap(({ group, table: name, tableId, ...rule }) => {
    const queries = [...new Set(actions.map((action) => rule[action]))].flatMap((text) => findRule(text) ?? [])
    const ruled = tables.list.filter(({ id }) => tableId === undefined || id === tableId)
    return ruled.flatMap((table) =>
      queries
        .flatMap((query) => comparisonsIn(tables, table, query))
        .map((comparison) => ({ kind: 'access rule', name: `${group}: ${name}`, ...comparison })),
    )
  })

export const namesInRules: NamingTexts = { follow: followNameInRules, findComparisons: findComparisonsInRules }
