import { arrayLiteral } from '../db/arrays'
import { invalidRequest } from '../errors'
import { translatable } from '../messages/message'
import { rejectUnsupported } from '../records/query/parameters'
import { readPairs } from '../records/query/parse/pairs'
import { parseQuery } from '../records/query/parse/query'
import { leafConditions } from '../records/query/plan/leaf-conditions'
import { planRead } from '../records/query/plan/read'
import type { EmbeddingPlan, LevelPlan, PlannedCondition } from '../records/query/plan/types'
import { printQuery, writePairs } from '../records/query/print'
import { levelConditions } from '../records/query/sql/level'
import type { StatementWriter } from '../records/query/sql/statement'
import type { Level, RecordQuery, SelectItem } from '../records/query/tree'
import { familyOf } from '../records/query/type-families'
import type { Tables } from '../tables/catalog/catalog'
import { readsOtherRows } from '../tables/computed-value'
import { literal } from '../tables/ddl'
import type { RowCondition, Table } from '../tables/model'
import { placeholders } from '../tables/row-rules'
import { isFrozenTime } from '../tables/sql-types'

/**
 * The filter of a rule as SQL. `@me`, `@me.email`, `@me.groups` and `@now` are replaced when the statement is sent. The
 * filter is parsed and planned with stand-in values of the right types instead, so that its grammar and the types of
 * its columns are checked. The SQL writer recognises the stand-ins.
 */
const standIns = {
  id: '0192f0c1-7d1e-7a11-8b4e-5d6f3c2a1b09',
  email: 'me@access.rowhouse.invalid',
  group: 'rowhouse:group-of-me',
  now: '2001-02-03T04:05:06.000789Z',
}

const variable = /(?<=^|[.,(=])@(me\.groups|me\.email|me|now)(?=$|[,)&])/g

/** `in` takes a list, and other operators take an array. */
function withStandIns(rule: string): string {
  return rule.replace(variable, (_, name: string, offset: number) => {
    if (name === 'me') return standIns.id
    if (name === 'me.email') return standIns.email
    if (name === 'now') return standIns.now
    return /(?:^|[.=(,])in\.$/.test(rule.slice(0, offset)) ? `(${standIns.group})` : `{${standIns.group}}`
  })
}

/** The inverse: a value that looks like a variable is written so that it remains a value. */
function withVariables(rule: string): string {
  const plain = rule.replace(variable, (found) => found.replace('@', '%40'))
  return [
    [`in.(${standIns.group})`, 'in.@me.groups'],
    [`{${standIns.group}}`, '@me.groups'],
    [standIns.id, '@me'],
    [standIns.email, '@me.email'],
    [standIns.now, '@now'],
  ].reduce((text, [standIn, name]) => text.replaceAll(standIn!, name!), plain)
}

/**
 * The filter of a rule as a query in which each embedding requires a linked record.
 * @throws Failure invalid_request
 */
export function readRule(rule: string): RecordQuery {
  const query = parseQuery([...readPairs(withStandIns(rule))], 'native')
  const { filters, embedded } = query
  rejectUnsupported({ ...query, embedded: {} }, 'filters')
  requireFiltersOnly({ ...query, filters, embedded })
  return { ...query, select: innerEmbeddings(query) }
}

/** The text of a rule that `readRule` parses as this query. */
export const printRule = (query: RecordQuery): string => withVariables(writePairs(printQuery({ ...query, select: [{ kind: 'all' }] })))

const misplaced = () =>
  invalidRequest(
    translatable('In a rule, @me, @me.email, @me.groups and @now are whole values.'),
    translatable('Write owner=eq.@me, email=eq.@me.email, team=in.@me.groups or ends=gte.@now.'),
  )

/**
 * @param tables all tables, as administrators see them: a rule may follow links that its caller may not follow
 * @returns SQL with the placeholders of `tables/row-rules.ts`
 * @throws Failure invalid_request for a filter that does not fit the table
 */
export const ruleCondition = (tables: Tables, table: Table, rule: string): string =>
  conditionOf(planRead(tables, table, readRule(rule)), newConstant)

function conditionOf(plan: LevelPlan, parameter: StatementWriter['parameter']): string {
  requireComparedGroups(plan)
  const conditions = levelConditions(literalWriter(parameter), plan, placeholders.row)
  if (conditions.length === 0) throw invalidRequest(translatable('A rule needs a filter; "all" means every record.'))
  return conditions.length === 1 ? conditions[0]! : `(${conditions.join(' and ')})`
}

/**
 * Leaves out group names that are not values of the column's type. Only `in` and `(any)` allow this: with other
 * operators, every array would contain the empty list.
 */
function requireComparedGroups(plan: LevelPlan): void {
  for (const each of leafConditions(plan)) {
    if (each.kind !== 'comparison' || !groupLists.includes(each.value)) continue
    const isIn = each.operator === '=' && each.quantifier === 'any'
    if (!isIn && familyOf(each.type.replace(/\[\]$/, '')) !== 'text')
      throw invalidRequest(translatable('On a column that holds no texts, @me.groups works only with "in".'))
  }
}

type FoundCondition = Omit<RowCondition, 'caller'>

/** The same for a stored filter; null if it no longer fits the table, because a column was renamed or deleted. */
export function findRuleCondition(tables: Tables, table: Table, rule: string): FoundCondition | null {
  try {
    const plan = planRead(tables, table, readRule(rule))
    const personColumn = personColumnOf(rule)
    return {
      sql: conditionOf(plan, ruleConstant),
      ...(personColumn === null ? {} : { personColumn }),
      ...(needsLinks(plan) ? { needsLinks: true as const } : {}),
    }
  } catch {
    return null
  }
}

/**
 * Whether removing links may make the condition true: it reads rows that link to the record, or requires that linked
 * records do not match.
 */
const needsLinks = ({ condition, embeddings }: LevelPlan): boolean =>
  embeddings.some((embedding) => goesBack(embedding)) || (condition !== null && conditionNeedsLinks(condition))

const goesBack = (embedding: EmbeddingPlan): boolean => embedding.relationship.holder !== 'from' || needsLinks(embedding)

function conditionNeedsLinks(condition: PlannedCondition, isNegated = false): boolean {
  switch (condition.kind) {
    case 'every':
    case 'some':
      return condition.conditions.some((each) => conditionNeedsLinks(each, isNegated))
    case 'not':
    case 'isNotTrue':
      return conditionNeedsLinks(condition.condition, true)
    case 'exists':
      return isNegated || goesBack(condition.embedding)
    case 'search':
      return true
    default:
      return readsOtherRows(condition.field.column)
  }
}

/** The column of `owner=eq.@me`; null for a rule with further conditions or another form. */
function personColumnOf(rule: string): string | null {
  const { filters, embedded } = readRule(rule)
  const [filter] = filters
  if (filters.length !== 1 || Object.keys(embedded).length > 0 || filter?.kind !== 'condition') return null
  const { column, operator, isNegated, quantifier, value } = filter
  const isPerson = operator === 'eq' && !isNegated && !quantifier && column.steps.length === 0 && value === standIns.id
  return isPerson ? column.name : null
}

function requireFiltersOnly({ order, limit, offset, embedded }: Level): void {
  if (order.length || limit !== undefined || offset !== undefined)
    throw invalidRequest(translatable('A rule takes filters only: no order and no limit.'))
  for (const level of Object.values(embedded)) requireFiltersOnly(level)
}

/** `project.lead=eq.@me` requires a linked record that meets the filter. */
const innerEmbeddings = ({ embedded }: Level): SelectItem[] =>
  Object.entries(embedded).map(([relation, level]) => ({
    kind: 'embedding',
    relation,
    join: 'inner',
    isSpread: false,
    items: innerEmbeddings(level),
  }))

/**
 * Writes values as constants, and the caller's values as placeholders. Its aliases never collide with a statement's
 * own.
 */
function literalWriter(parameter: StatementWriter['parameter']): StatementWriter {
  let aliases = 0
  return {
    parameters: [],
    filters: new Map(),
    variables: new Map(),
    isQuick: false,
    alias: () => `r${++aliases}`,
    parameter,
    variable: (name) => {
      throw new Error(`A rule has no variable "${name}".`)
    },
  }
}

/** Rejects words such as `today`, which rules stored earlier may contain. */
function newConstant(value: string | null, type: string): string {
  if (value !== null && isFrozenTime(type, value))
    throw invalidRequest(translatable('A rule would keep the day on which PostgreSQL reads a word such as "today"; compare with @now.'))
  return ruleConstant(value, type)
}

const groupLists = [arrayLiteral([standIns.group]), `{${standIns.group}}`]

export function ruleConstant(value: string | null, type: string): string {
  if (value === null) return `null::${type}`
  if (value === standIns.id) return `${placeholders.id}::${type}`
  if (value === standIns.email) return `${placeholders.email}::${type}`
  if (value === standIns.now) return `pg_catalog.now()::${type}`
  if (groupLists.includes(value)) return groupsAs(type)
  if (Object.values(standIns).some((standIn) => value.includes(standIn)) || value.includes('\x01')) throw misplaced()
  return `${literal(value)}::${type}`
}

/** Leaves out groups whose names are not values of the type: an enum may have labels for only some of them. */
function groupsAs(type: string): string {
  const item = type.replace(/\[\]$/, '')
  if (item === type || familyOf(item) === 'text') return `${placeholders.groups}::${type}`
  return `array(select g.v::${item} from pg_catalog.unnest(${placeholders.groups}) g (v) where rowhouse.can_cast(g.v, ${literal(item)}))`
}
