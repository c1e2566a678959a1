import { operator } from '../../db/search-path'
import { fieldType } from '../../records/query/plan/fields'
import type { LevelPlan, PlannedOutput, Value } from '../../records/query/plan/types'
import { rowsStatement } from '../../records/query/sql/read'
import { bindLater } from '../../records/query/sql/rules'
import type { Statement } from '../../records/query/sql/statement'
import { type Family, familyOf } from '../../records/query/type-families'
import { identifier, literal } from '../../tables/ddl'
import { callerOf } from '../../tables/row-rules'
import { canHoldFormula, inert } from '../formulas'
import { type Reader, readableText, showsNames, unspread } from './people'

/**
 * The rows of a plan as the cells of a file: every value in the text that the record's JSON has for it, so that an
 * import reads it again without loss. Arrays and embedded records are JSON; files are their names and URLs. The
 * statement belongs between `copy (` and `) to stdout`.
 * @param origin the prefix of the paths in URLs
 * @param reader for a file that people read, which is not meant to be imported again
 */
export function cellsStatement(plan: LevelPlan, isEscaped: boolean, origin = '', reader: Reader | null = null): Statement {
  const { text, parameters } = rowsStatement(plan)
  const cells = plan.outputs.map(unspread).map((output, index) => {
    const value = `r.${identifier(output.name)}`
    const cell = (reader && readableText(value, output, reader)) ?? cellText(value, kindOf(output), origin)
    // The columns are unnamed here: we write the header line, and an escaped name may be longer than PostgreSQL allows.
    return `${isEscaped && (isSpreadsheetText(output) || (reader && showsNames(output, reader))) ? inert(cell) : cell} as c${index}`
  })
  return bindLater({ text: `select ${cells.join(', ')} from (${text}) r`, parameters }, reader && callerOf(reader.tables.list))
}

type Kind = 'plain' | 'files' | 'boolean' | 'moment' | 'json' | 'array' | 'unknown'

function cellText(value: string, kind: Kind, origin: string): string {
  if (kind === 'files') return `rowhouse.attachment_text(${value}, ${literal(origin)})`
  if (kind === 'boolean') return `${value}::text`
  if (kind === 'moment') return `pg_catalog.to_json(${value}) ${operator('#>>')} '{}'`
  if (kind === 'json') return `${value}::text`
  if (kind === 'array') return `pg_catalog.to_json(${value})::text`
  return kind === 'unknown' ? `pg_catalog.to_json(${value}) ${operator('#>>')} '{}'` : value
}

/** Aggregates and columns spread from several records have types that only PostgreSQL knows. */
function kindOf({ value, aggregate }: PlannedOutput): Kind {
  if (aggregate) return aggregate.name === 'count' ? 'plain' : 'unknown'
  if (value!.kind === 'embedded') return 'json'
  if (value!.kind === 'field' && isFiles(value!)) return 'files'
  const type = exportedType(value!)
  if (type === null) return 'unknown'
  return /^timestamp/.test(type) ? 'moment' : kindOfFamily(familyOf(type))
}

const isFiles = ({ field, cast }: Extract<Value, { kind: 'field' }>) =>
  field.column.type === 'attachment' && field.steps.length === 0 && cast === undefined

const kindOfFamily = (family: Family): Kind => (family === 'boolean' || family === 'json' || family === 'array' ? family : 'plain')

const exportedType = (value: Value): string | null => {
  if (value.kind !== 'field') return null
  return value.cast ?? fieldType(value.field)
}

function isSpreadsheetText({ value, aggregate }: PlannedOutput): boolean {
  if (aggregate?.name === 'count') return false
  // A sum, an average or the greatest of numbers is a number.
  const type = aggregate?.cast ?? exportedType(value!)
  return type === null || canHoldFormula(type)
}
