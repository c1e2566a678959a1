import { arrayLiteral } from '../../../db/arrays'
import { concat } from '../../../db/search-path'
import { identifier, qualifiedName } from '../../../tables/ddl'
import type { ReadPlan } from '../../query/plan/types'
import { finish, type Statement, type StatementWriter, startStatement } from '../../query/sql/statement'
import type { RowRange } from '../request/range'
import { type AnswerForm, sourceStatement } from '../sql'
import { type DatabaseFunction, takesJson } from './functions'

/** Arguments as texts by name, several for a list; or a JSON object that PostgreSQL itself parses. */
export type Arguments = { kind: 'texts'; values: Map<string, string[]> } | { kind: 'json'; json: string }

type Used = { sent: Arguments; names: readonly string[] }

/** The rows of a result with columns, in the form of `sourceStatement`. */
export function functionRowsStatement(found: DatabaseFunction, used: Used, plan: ReadPlan, form: AnswerForm): Statement {
  const writer = startStatement()
  const { from, call } = callText(writer, found, used)
  return sourceStatement(writer, plan, form, `select f.* from ${from}${call} f`, { isFiltered: true })
}

/** One row: `body`, `length` and `count`, for a result that is one value, or a set of values. */
export function valueStatement(found: DatabaseFunction, used: Used, { offset, limit }: RowRange): Statement {
  const writer = startStatement()
  const { from, call } = callText(writer, found, used)
  // A JSON null for a null value: `to_json` of it would be SQL null.
  const json = `coalesce(pg_catalog.to_json(f.v)::text, 'null')`
  // In a from list, a function that returns records would need a list of their columns.
  const values = `select ${call} as v${from ? ` from ${from.replace(/, lateral $/, '')}` : ''}`
  if (!found.isSet) return finish(writer, `select ${json} as body, 1 as length, 1 as count from (${values}) f`)
  const page = ` offset ${writer.parameter(String(offset), 'bigint')} limit ${writer.parameter(String(limit), 'bigint')}`
  return finish(
    writer,
    `with "source" as (${values})
    select '[' ${concat} coalesce(pg_catalog.string_agg(${json}, ','), '') ${concat} ']' as body, count(*)::int as length, (select count(*)::int from "source") as count
    from (select s.v from "source" s${page}) f`,
  )
}

/** `from` is the text before the call in a from list, with its comma, or empty. */
function callText(writer: StatementWriter, found: DatabaseFunction, { sent, names }: Used): { from: string; call: string } {
  if (takesJson(found)) return { from: '', call: `${qualifiedName(found)}(${wholeArgument(writer, found, sent)})` }
  const used = found.arguments.filter(({ name }) => names.includes(name))
  const value = sent.kind === 'json' ? (name: string) => `a.${identifier(name)}` : argumentText(writer, found, sent.values)
  const list = used.map(({ name, isVariadic }) => `${isVariadic ? 'variadic ' : ''}${identifier(name)} => ${value(name)}`)
  const call = `${qualifiedName(found)}(${list.join(', ')})`
  if (sent.kind !== 'json' || used.length === 0) return { from: '', call }
  const columns = used.map(({ name, type }) => `${identifier(name)} ${type}`).join(', ')
  return { from: `pg_catalog.json_to_record(${writer.parameter(sent.json, 'json')}) as a (${columns}), lateral `, call }
}

function argumentText(writer: StatementWriter, { arguments: known }: DatabaseFunction, values: Map<string, string[]>) {
  return (name: string): string => {
    const { type, isVariadic } = known.find((argument) => argument.name === name)!
    const texts = values.get(name)!
    const isList = type.endsWith('[]') && (texts.length > 1 || (isVariadic && !texts[0]!.startsWith('{')))
    return writer.parameter(isList ? arrayLiteral(texts) : texts.at(-1)!, type)
  }
}

function wholeArgument(writer: StatementWriter, { arguments: [argument] }: DatabaseFunction, sent: Arguments): string {
  const json =
    sent.kind === 'json' ? sent.json : JSON.stringify(Object.fromEntries([...sent.values].map(([name, texts]) => [name, texts.at(-1)])))
  return writer.parameter(json, argument!.type)
}
