import { ruleNames } from '../column-types/definition'
import { isVirtual } from '../computed-value'
import { checkClauses, constraintName, ignoresCase } from '../constraints'
import {
  type ColumnDescription,
  defaultExpression,
  dropTouchStatement,
  referenceClause,
  relatedStatements,
  type TableRef,
  touchStatement,
} from '../ddl'
import type { Column } from '../model'
import { identifier, qualifiedName } from '../sql-text'
import type { ColumnConstraints } from './column-constraints'
import { type ChoiceRenames, renameChoicesStatements } from './conversion/choice-renames'
import { type ColumnConversion, convertStatements, emptyStatements } from './conversion/column-conversion'

const pointing = ['link', 'user', 'createdBy', 'updatedBy']

/** Renames the column, and the objects that are named after it. */
export function renameStatements(table: TableRef, column: Column, to: string, { checks }: ColumnConstraints): string[] {
  const { name, type } = column
  // The names of these columns are only in the metadata.
  if (type === 'manyLinks' || isVirtual(column)) return []
  const alter = `alter table ${qualifiedName(table)}`
  return [
    `${alter} rename column ${identifier(name)} to ${identifier(to)}`,
    ...ruleNames
      .filter((rule) => checks.includes(constraintName(name, rule)))
      .map((rule) => `${alter} rename constraint ${identifier(constraintName(name, rule))} to ${identifier(constraintName(to, rule))}`),
    ...(type === 'updatedAt' ? [dropTouchStatement(table, name), touchStatement(table, to)] : []),
  ]
}

/** How a column changes besides its name. `conversion` is null if type and options stay. */
export type Alteration = { conversion: ColumnConversion | null; isDefaultSent: boolean; isEmptying: boolean; renames?: ChoiceRenames }

export function alterStatements(
  table: TableRef & { primaryKey: readonly string[] },
  before: Column,
  after: ColumnDescription,
  how: Alteration,
  constraints: ColumnConstraints,
): string[] {
  // The column exists only in the metadata.
  if (before.type === 'manyLinks' || isVirtual(before)) return []
  const { conversion, isDefaultSent } = how
  const alter = `alter table ${qualifiedName(table)}`
  const column = `${alter} alter column ${identifier(after.name)}`
  const isConverted = conversion !== null && !conversion.isKept
  const keys = keyChanges(before, after, constraints)
  const expression = defaultExpression(after)
  return [
    ...keys.constraints.map((name) => `${alter} drop constraint ${identifier(name)}`),
    ...keys.indexes.map((name) => `drop index ${qualifiedName({ schema: table.schema, name })}`),
    ...(conversion ? freeStatements(table, before, constraints, isConverted) : []),
    ...(before.required && !after.required ? [`${column} drop not null`] : []),
    ...(conversion && how.isEmptying ? emptyStatements(table, before, after, conversion) : []),
    ...(how.renames ? renameChoicesStatements(table, after, how.renames) : []),
    ...(isConverted ? convertStatements(table, before, after, conversion) : []),
    ...(conversion ? boundStatements(table, before, after) : []),
    ...(isConverted || isDefaultSent ? [expression === null ? `${column} drop default` : `${column} set default ${expression}`] : []),
    ...(!before.required && after.required ? [`${column} set not null`] : []),
    ...(keys.isAdded ? [`${alter} add unique (${identifier(after.name)})`] : []),
  ]
}

/**
 * The unique constraints and case-insensitive indexes that the column loses, and whether it gets a constraint.
 * `addCaselessIndex` makes such an index after the values have been converted.
 */
function keyChanges(before: Column, after: ColumnDescription, { unique, caseless }: ColumnConstraints) {
  const ignores = ignoresCase(after)
  const isReplaced = ignores && caseless.length === 0
  const indexes = !ignores && [before.type, after.type].includes('email') ? caseless : []
  return {
    constraints: before.unique && (!after.unique || isReplaced) ? unique : [],
    indexes,
    isAdded: after.unique && !ignores && (!before.unique || (indexes.length > 0 && unique.length === 0)),
  }
}

/** Removes the parts of the column's present definition. */
function freeStatements(table: TableRef, before: Column, { checks, foreignKeys }: ColumnConstraints, isConverted: boolean): string[] {
  const alter = `alter table ${qualifiedName(table)}`
  const column = `${alter} alter column ${identifier(before.name)}`
  const dropped = [...checks, ...(pointing.includes(before.type) ? foreignKeys : [])]
  return [
    ...dropped.map((name) => `${alter} drop constraint ${identifier(name)}`),
    ...(before.type === 'updatedAt' ? [dropTouchStatement(table, before.name)] : []),
    ...(before.type === 'autoNumber' ? [`${column} drop identity if exists`] : []),
    // PostgreSQL would try to convert the default in its own way.
    ...(isConverted && before.type !== 'autoNumber' ? [`${column} drop default`] : []),
  ]
}

/** Adds the parts of the column's new definition. */
function boundStatements(table: TableRef, before: Column, after: ColumnDescription): string[] {
  const alter = `alter table ${qualifiedName(table)}`
  const reference = referenceClause(after)
  return [
    ...checkClauses(after).map((clause) => `${alter} add ${clause}`),
    ...(reference ? [`${alter} add foreign key (${identifier(after.name)}) ${reference}`] : []),
    ...(pointing.includes(before.type) ? [] : relatedStatements(table, after)),
  ]
}
