import type { Query } from '../../../db/pool/open'
import { conflict, type Failure, validationFailed } from '../../../errors'
import { type Message, translatable } from '../../../messages/message'
import { choicesOf, maxChoices } from '../../column-types/choices'
import type { ColumnDescription } from '../../ddl'
import type { Column, Table } from '../../model'
import { identifier, qualifiedName } from '../../sql-text'
import type { ConversionReport } from '../conversion-model'
import { type NameFindings, nameProblems, reportNames } from '../links/linked-names'
import { type ChoiceRenames, choiceNameOf } from './choice-renames'
import {
  type ColumnConversion,
  checkedValue,
  convertedValue,
  countFailingStatement,
  failingStatement,
  problemMessages,
} from './column-conversion'

/** A `ConversionReport` before its messages are translated. */
export type ConversionFindings = Omit<ConversionReport, 'rows' | 'names'> & {
  rows: { key: string; value: string | null; message: Message }[]
  names?: NameFindings
}

/** Counts the values that would fit, and lists the first that would not. @param from the present column */
export async function reportOn(
  query: Query,
  table: Table,
  from: Column,
  to: ColumnDescription,
  how: ColumnConversion,
): Promise<ConversionFindings> {
  const [counted] = await query<{ convertible: string; failing: string }>(countFailingStatement(table, from, to, how), [], {
    prepare: false,
  })
  const failing = Number(counted!.failing)
  const rows = failing ? await failingRows(query, table, from, to, how) : []
  const report = { convertible: Number(counted!.convertible), failing, rows }
  return how.names ? { ...report, names: await reportNames(query, how.names) } : report
}

async function failingRows(
  query: Query,
  table: Table,
  from: Column,
  to: ColumnDescription,
  how: ColumnConversion,
): Promise<ConversionFindings['rows']> {
  const messages = problemMessages(to)
  const text = failingStatement(table, from, to, how)
  const rows = await query<{ key: string; value: string | null; problem: number }>(text, [], { prepare: false })
  return rows.map(({ key, value, problem }) => ({
    key: (JSON.parse(key) as string[]).map(encodeURIComponent).join(','),
    value,
    message: (how.names && nameProblems[problem]) ?? messages[problem]!,
  }))
}

/** For a real run with values that do not fit. */
export async function failingValues(
  query: Query,
  table: Table,
  from: Column,
  to: ColumnDescription,
  report: ConversionFindings,
  renames: ChoiceRenames = {},
): Promise<Failure> {
  const used = await usedChoices(query, table, from, to, renames)
  if (used.length) {
    const named = used.slice(0, 20).map(({ choice, records }) => `${JSON.stringify(choice)} (${records})`)
    return conflict(translatable('Choices that records still have cannot be removed: {named}.', { named: named.join(', ') }), {
      details: { ...report, choices: used },
      errors: [{ path: '/options/choices', message: translatable('leaves out choices that are in use') }],
      hint: translatable('Change these records first, or send "onFailure": "null" to empty them.'),
    })
  }
  const count = report.failing
  const message =
    count === 1
      ? translatable('One value does not fit the changed column. Nothing was changed.')
      : translatable('{count} values do not fit the changed column. Nothing was changed.', { count })
  return conflict(message, {
    details: report,
    hint: translatable('Send ?dryRun=true to check first, or "onFailure": "null" to empty the values that do not fit.'),
  })
}

const withChoices = ['select', 'multiSelect']

/** Removed choices that records still have, with the number of these records. */
async function usedChoices(
  query: Query,
  table: Table,
  from: Column,
  to: ColumnDescription,
  renames: ChoiceRenames,
): Promise<{ choice: string; records: number }[]> {
  if (!withChoices.includes(from.type) || !withChoices.includes(to.type)) return []
  const kept = choicesOf(to.options)
  const column = identifier(from.name)
  const source =
    from.type === 'select' ? `${column} as choice from ${qualifiedName(table)}` : `unnest(${column}) as choice from ${qualifiedName(table)}`
  const text = `select choice, count(*)::int as records from (select ${source}) c where choice is not null group by choice order by count(*) desc, choice limit ${maxChoices}`
  const rows = await query<{ choice: string; records: number }>(text, [], { prepare: false })
  return rows.filter(({ choice }) => !kept.includes(choiceNameOf(renames, choice))).map(({ choice, records }) => ({ choice, records }))
}

const mostFoundChoices = 200
const longestChoice = 200

/**
 * The choices for a column that becomes a list of choices: its distinct values.
 * @throws Failure validation_failed if they are too many or too long
 */
export async function foundChoices(
  query: Query,
  table: Table,
  from: Column,
  to: ColumnDescription,
  how: ColumnConversion,
): Promise<string[]> {
  const value = convertedValue(how, `t.${identifier(from.name)}`, to.sqlType)
  const words = to.type === 'multiSelect' ? `unnest(${value})` : value
  const text = `select distinct choice from (select ${words} as choice from ${qualifiedName(table)} t) c where choice <> '' order by choice limit ${mostFoundChoices + 1}`
  const choices = (await query<{ choice: string }>(text, [], { prepare: false })).map(({ choice }) => choice)
  const refuse = (message: Message): never => {
    throw validationFailed([{ path: '/options/choices', message }])
  }
  if (choices.length > mostFoundChoices)
    refuse(
      translatable('The column has more than {mostFoundChoices} different values; send the list of choices.', {
        mostFoundChoices,
      }),
    )
  if (choices.some((choice) => choice.length > longestChoice))
    refuse(translatable('Some values are too long for a choice; send the list of choices.'))
  return choices
}

/** The present default, converted as the values are. @throws Failure validation_failed if it does not fit */
export async function convertedDefault(query: Query, from: Column, to: ColumnDescription, how: ColumnConversion): Promise<unknown> {
  const refuse = (): never => {
    throw validationFailed([{ path: '/default', message: translatable('The current default no longer fits; send another one, or null.') }])
  }
  if (from.default === null) return refuse()
  const source = `(select ${from.defaultExpression}::${from.sqlType} as ${identifier(from.name)}) d`
  const text = `select to_json(${checkedValue(how, `d.${identifier(from.name)}`, to.sqlType)})::text as value from ${source}`
  const [row] = await query<{ value: string | null }>(text, [], { prepare: false })
  return row?.value == null ? refuse() : exactly(row.value)
}

/** A number that JavaScript would write with other digits stays a text. */
const exactly = (json: string): unknown => (/^-?[\d.]+$/.test(json) && String(Number(json)) !== json ? json : JSON.parse(json))
