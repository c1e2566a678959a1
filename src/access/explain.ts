import { isAtLeast } from '../auth/identity/actor'
import type { User } from '../auth/model'
import type { Deps } from '../deps'
import { notFound } from '../errors'
import { translatable } from '../messages/message'
import { wholePlan } from '../records/query/plan/read'
import { recordByKey } from '../records/query/sql/keys'
import { isDataException } from '../records/store/errors'
import { readKey } from '../records/store/key'
import type { StoredRule } from '../tables/access-source'
import { findTable, noSuchTable, type Tables } from '../tables/catalog/catalog'
import { isUuid } from '../tables/column-types/uuid'
import type { CallerValues, Table } from '../tables/model'
import { listUsers } from '../users/service'
import { readMembers } from './document'
import type { Action, ExplainQuery, RuleExplanation } from './model'
import { isFor, rulesNaming } from './narrow-tables'
import { findRuleCondition } from './rule-condition'

/**
 * Which line of the document decides about a user's actions on a table, or on one record of it.
 * @throws Failure not_found for an unknown user or table
 */
export async function explainAccess({ db, catalog }: Pick<Deps, 'db' | 'catalog'>, query: ExplainQuery): Promise<RuleExplanation> {
  const [users, tables, groupsOf] = await Promise.all([listUsers(db), catalog.current(), readMembers(db)])
  const user = users.find(({ id, email }) =>
    isUuid(query.user) ? id === query.user.toLowerCase() : email === query.user.trim().toLowerCase(),
  )
  if (!user) throw notFound(translatable('There is no such user.'))
  const table = findTable(tables, query.table)
  if (!table) throw noSuchTable(tables.list, query.table)
  const rules = tables.access?.rules ?? []
  const naming = tables.access ? rulesNaming(tables.access, table) : []
  const groups = groupsOf.get(user.id) ?? []
  const caller: CallerValues = { id: user.id, email: user.email, groups: groups.map(({ name }) => name) }
  const key = query.pk === undefined ? null : readKey(table, query.pk)
  const isThere = key === null || (await hasRecord(db, table, key))
  const explain = async (action: Action): Promise<RuleExplanation> => {
    const lines = await Promise.all(
      naming.map(async (rule) => {
        const isMember = isFor(rule, groups, user.role)
        const allows = isThere ? await allowsRecord(db, tables, table, rule, action, caller, key) : false
        return { rule: rules.indexOf(rule), group: rule.group, text: rule[action], isMember, allows }
      }),
    )
    return { ...decide(user, action, lines, isThere), lines }
  }
  const explained = await explain(query.action)
  const needsRead = query.action === 'update' || query.action === 'delete'
  return needsRead && explained.reason === 'rule' ? withRead(explained, await explain('read')) : explained
}

/** Only a user who may read a record may change or delete it. @returns the explanation of the action that decides */
function withRead(explained: RuleExplanation, read: RuleExplanation): RuleExplanation {
  if (read.decision === 'denied') return { ...read, reason: 'not_readable' }
  return explained.decision === 'allowed' && read.decision === 'depends' ? read : explained
}

type Line = RuleExplanation['lines'][number]
type Decision = Omit<RuleExplanation, 'lines'>

function decide(user: User, action: Action, lines: readonly Line[], isThere: boolean): Decision {
  const denied = (reason: string) => ({ decision: 'denied' as const, reason, rule: null })
  if (user.disabled) return denied('disabled')
  if (!isThere) return denied('no_record')
  if (user.role === 'admin') return { decision: 'allowed', reason: 'administrator', rule: null }
  if (action !== 'read' && !isAtLeast(user.role, 'editor')) return denied('role_lacks')
  if (lines.length === 0) return { decision: 'allowed', reason: 'no_rules', rule: null }
  const own = lines.filter(({ isMember }) => isMember)
  if (own.length === 0) return denied('no_rule_for_user')
  const allowing = own.find(({ allows }) => allows === true)
  if (allowing) return { decision: 'allowed', reason: 'rule', rule: allowing.rule }
  const open = own.find(({ allows }) => allows === null)
  return open ? { decision: 'depends', reason: 'rule', rule: open.rule } : denied('no_rule_allows')
}

async function hasRecord({ query }: Deps['db'], table: Table, key: readonly string[]): Promise<boolean> {
  const { text, parameters } = recordByKey(wholePlan(table), key)
  const found = query(text, parameters, { prepare: false }).catch((error) => {
    // For some types, only PostgreSQL can tell whether a text is a valid key.
    if (isDataException(error)) return []
    throw error
  })
  return (await found).length > 0
}

/** Null if the answer depends on the record and no record is given. */
async function allowsRecord(
  db: Deps['db'],
  tables: Tables,
  table: Table,
  rule: StoredRule,
  action: Action,
  caller: CallerValues,
  key: readonly string[] | null,
): Promise<boolean | null> {
  const text = rule[action]
  if (text === 'all' || text === 'none') return text === 'all'
  const condition = findRuleCondition(tables, table, text)
  if (condition === null) return false
  if (key === null) return null
  return hasRecord(db, { ...table, access: { read: { ...condition, caller }, delete: 'none', writes: [] } }, key)
}
