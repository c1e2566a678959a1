import { concat, equal, operator } from '../../db/search-path'
import { identifier, literal, qualifiedName } from '../../tables/ddl'
import type { LevelPlan } from '../query/plan/types'
import { levelSelect } from '../query/sql/level'
import { finish, type Statement, type StatementWriter, startStatement } from '../query/sql/statement'
import { weighed, weighedPage } from '../query/sql/weight'
import type { Media } from './request/media'

/** The format of a statement's rows. */
export type AnswerForm = Pick<Media, 'form' | 'isStripped'>

/**
 * One row: `body`, the whole response as text, and `length`, the number of rows in it. For `object` the body is that of
 * the only row; with several rows or no row it is meaningless.
 */
export function readStatement(plan: LevelPlan, form: AnswerForm, isQuick: boolean): Statement {
  const writer = startStatement({ isQuick })
  const alias = writer.alias()
  return finish(writer, bodyExpression(writer, plan, form, levelSelect(writer, plan, alias, `${qualifiedName(plan.table)} ${alias}`)))
}

/**
 * Like `readStatement`, for the rows of another statement; and `count`, their number without limit and offset.
 * @param writer with the parameters of `source` in it
 * @param options.isFiltered whether `count` covers only the rows that meet the plan's conditions
 * @param options.hasNewness for a source with `isNew`: the statement has `hasNew`, whether one of the rows is new
 */
export function sourceStatement(
  writer: StatementWriter,
  plan: LevelPlan,
  form: AnswerForm,
  source: string,
  { isFiltered = false, hasNewness = false },
): Statement {
  const select = (level: LevelPlan) => {
    const alias = writer.alias()
    return levelSelect(writer, level, alias, `"source" ${alias}`)
  }
  const rows = bodyExpression(writer, plan, form, select(plan))
  const counted = isFiltered ? `(${select({ ...plan, order: [], limit: undefined, offset: undefined })}) c` : '"source"'
  const hasNew = hasNewness ? `, (select coalesce(pg_catalog.bool_or("isNew"), false) from "source") as "hasNew"` : ''
  return finish(
    writer,
    `with "source" as (${source}) select b.*, (select count(*)::int from ${counted}) as count${hasNew} from (${rows}) b`,
  )
}

/** `row_to_json` is applied after sorting and limiting, so it runs only for the rows of the response. */
function bodyExpression(
  writer: StatementWriter,
  { outputs, limit = mostUnlimited }: LevelPlan,
  { form, isStripped }: AnswerForm,
  rows: string,
): string {
  const names = outputs.map(({ name }) => name)
  const row = isStripped ? 'pg_catalog.json_strip_nulls(pg_catalog.row_to_json(p.*))' : 'pg_catalog.row_to_json(p.*)'
  const { from, value } = weighed(writer, rows, form === 'csv' ? csvHeaderLine(names) : `${row}::text`, limit)
  const joined = `coalesce(pg_catalog.string_agg(${value}, ${form === 'csv' ? `''` : `','`}), '')`
  // RFC 4180, with the header even if there are no rows.
  const body =
    form === 'csv'
      ? `${literal(csvHeader(names))} ${concat} ${joined}`
      : form === 'array'
        ? `'[' ${concat} ${joined} ${concat} ']'`
        : joined
  return weighedPage(`select ${body} as body, count(*)::int as length from ${from}`, limit, ['length'])
}

/** For rows without a limit, such as written ones. */
const mostUnlimited = 10_000

/** Null is an empty field, and an empty text is `""`. */
const csvHeaderLine = (names: string[]): string =>
  `E'\\n' ${concat} ${names.map((name) => csvField(`p.${identifier(name)}`)).join(` ${concat} ',' ${concat} `) || `''`}`

export const csvHeader = (names: readonly string[]): string => names.map(quotedField).join(',')

const quotedField = (text: string) => (/[",\r\n]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text)

/** `format` writes a value as COPY does: a boolean is `t`, while a cast to text would write `true`. */
function csvField(value: string): string {
  const text = `pg_catalog.format('%s', ${value})`
  const quoted = `'"' ${concat} pg_catalog.replace(${text}, '"', '""') ${concat} '"'`
  return `case when ${value} is null then '' when ${text} ${equal} '' or ${text} ${operator('~')} '[",\\r\\n]' then ${quoted} else ${text} end`
}
