import { equal, operator } from '../../../db/search-path'
import { operatorSchemaOf } from '../../../tables/catalog/links/linked-records'
import { computedText } from '../../../tables/computed-value'
import { identifier, qualifiedName } from '../../../tables/ddl'
import type { Column } from '../../../tables/model'
import type { SearchCondition } from '../plan/search'
import type { SearchedColumn } from '../plan/types'
import { columnText } from './fields'
import { bindCaller, readCondition, ruleText, visibleValue } from './rules'
import type { StatementWriter } from './statement'

/**
 * Names of linked records are searched in their own table, once per statement: the subqueries do not depend on the row.
 */
export function searchText(writer: StatementWriter, alias: string, { columns, pattern }: SearchCondition): string {
  if (columns.length === 0) return 'false'
  const [compare, text] = 'like' in pattern ? ['~~*', pattern.like] : ['~', pattern.text]
  // PostgreSQL refuses an unused parameter, such as the one for texts in a table that only has numbers.
  const whenUsed = (content: string) => {
    let parameter: string | undefined
    return () => {
      parameter ??= writer.parameter(content, 'text')
      return parameter
    }
  }
  const [textParameter, valueParameter] = [whenUsed(text), whenUsed(('value' in pattern && pattern.value) || '')]
  const finds = (value: string) => `${value} ${operator(compare)} ${textParameter()}`
  const conditions = columns.map((searched) => {
    const own = valueAt(writer, alias, searched.column)
    const isMany = searched.column.comparedAs.endsWith('[]')
    const ownText = isMany ? `pg_catalog.array_to_string(${own}, E'\\n')` : `${own}::text`
    switch (searched.as) {
      case 'value':
        return `${ownText} ${operator('~')} ${valueParameter()}`
      case 'list':
      case 'text':
        return finds(ownText)
      case 'user':
        return isAmong(own, isMany, `select u.id from rowhouse.users u where ${finds('u.name')}`)
      default:
        return linkedText(writer, alias, searched, own, finds)
    }
  })
  return `(${conditions.join(' or ')})`
}

function valueAt(writer: StatementWriter, alias: string, column: Column): string {
  const { name, computed } = column
  const value = computed ? bindCaller(writer, computedText(computed, alias), computed.caller) : columnText(alias, name)
  return visibleValue(writer, alias, column, value)
}

/** Whether a key, or one key of a list, is among the found keys. */
const isAmong = (own: string, isMany: boolean, found: string): string =>
  isMany ? `exists (select from pg_catalog.unnest(${own}) i (key) where i.key ${equal} any(${found}))` : `${own} ${equal} any(${found})`

type LinkedColumn = Extract<SearchedColumn, { target: unknown }>

function linkedText(writer: StatementWriter, alias: string, searched: LinkedColumn, own: string, finds: (value: string) => string): string {
  const { column, target, name } = searched
  const isNamedSo = finds(`(${valueAt(writer, 'n', name)})::text`)
  const readable = [isNamedSo, ...readCondition(writer, target, 'n')].join(' and ')
  const named = (key: string) => `select n.${identifier(key)} from ${qualifiedName(target)} n where ${readable}`
  if (searched.as === 'link') return isAmong(own, column.comparedAs.endsWith('[]'), named(searched.key))
  const { ownColumns, targetColumns } = column.joinTable!
  const links = `select j.${identifier(ownColumns[0]!)} from ${qualifiedName(column.joinTable!)} j`
  const isLinkable = ruleText(writer, column.joinTable!.linkable ?? 'all', 'j')
  const targetKey = target.primaryKey[0]!
  const among = `${operator('=', operatorSchemaOf(target, targetKey))} any(${named(targetKey)})`
  const isNamed = `${isLinkable === null ? '' : `${isLinkable} and `}j.${identifier(targetColumns[0]!)} ${among}`
  const isLinked = `${columnText(alias, searched.own.name)} ${equal} any(${links} where ${isNamed})`
  return visibleValue(writer, alias, column, isLinked)
}
