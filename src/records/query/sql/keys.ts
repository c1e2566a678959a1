import { arrayLiteral, unmeasured } from '../../../db/arrays'
import { operator, textAt } from '../../../db/search-path'
import { qualifiedName } from '../../../tables/ddl'
import type { Table } from '../../../tables/model'
import { comparedType } from '../../../tables/sql-types'
import type { LevelPlan } from '../plan/types'
import { columnText } from './fields'
import { recordText, versionText } from './record'
import { finish, type Statement, type StatementWriter, startStatement } from './statement'

/**
 * What each row of these has: `record`, `version`, and where several keys are asked for `place`, the key's place among
 * them, from 1.
 */
const selectedColumns = (writer: StatementWriter, alias: string, plan: LevelPlan) =>
  `${recordText(writer, alias, plan.outputs)}::text as record, ${versionText(writer, alias, plan.table)} as version`

const keyTypes = ({ primaryKey, columns }: Table) =>
  primaryKey.map((name) => {
    const { comparedAs, operatorSchema } = columns.find((column) => column.name === name)!
    return { name, type: comparedType(comparedAs), equal: operator('=', operatorSchema) }
  })

export function recordByKey(plan: LevelPlan, key: readonly string[], isLocked = false): Statement {
  const writer = startStatement()
  const alias = writer.alias()
  const columns = selectedColumns(writer, alias, plan)
  const isKey = keyTypes(plan.table).map(
    ({ name, type, equal }, index) => `${columnText(alias, name)} ${equal} ${writer.parameter(key[index]!, type)}`,
  )
  const text = `select ${columns} from ${qualifiedName(plan.table)} ${alias} where ${isKey.join(' and ')}`
  return finish(writer, isLocked ? `${text} for update of ${alias}` : text)
}

/** For keys of one column, as PostgreSQL finds them fastest. */
export function recordsBySingleKeys(plan: LevelPlan, keys: readonly string[]): Statement {
  const writer = startStatement()
  const alias = writer.alias()
  const columns = selectedColumns(writer, alias, plan)
  const { name, type, equal } = keyTypes(plan.table)[0]!
  const list = writer.parameter(arrayLiteral(keys), `${type}[]`)
  const from = `pg_catalog.unnest(${unmeasured(list)}) with ordinality as k (key, place) join ${qualifiedName(plan.table)} ${alias} on ${columnText(alias, name)} ${equal} k.key`
  return finish(writer, `select k.place::int as place, ${columns} from ${from}`)
}

/** @param keys their parts, as JSON arrays of texts; rows come in their order */
export function recordsByKeys(plan: LevelPlan, keys: readonly string[]): Statement {
  const writer = startStatement()
  const alias = writer.alias()
  const columns = selectedColumns(writer, alias, plan)
  const isKey = keyTypes(plan.table).map(
    ({ name, type, equal }, index) => `${columnText(alias, name)} ${equal} (k.item ${textAt} ${index})::${type}`,
  )
  const items = `pg_catalog.jsonb_array_elements(${writer.parameter(`[${keys.join(',')}]`, 'jsonb')}) with ordinality as k (item, place)`
  const from = `${items} join ${qualifiedName(plan.table)} ${alias} on ${isKey.join(' and ')}`
  return finish(writer, `select k.place::int as place, ${columns} from ${from} order by k.place`)
}
