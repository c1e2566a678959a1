import type { Query } from '../../../db/pool/open'
import { conflict } from '../../../errors'
import { translatable } from '../../../messages/message'
import type { StoredComparison, Tables } from '../../catalog/catalog'
import type { LinkedFilter } from '../../column-types/computed'
import type { Column, Table } from '../../model'
import { isSameType } from '../../sql-types'
import { columnsOver } from '../formula-uses'

/** The tables before a change of a column, and the stored comparisons of columns. */
export type ChangeScope = { query: Query; tables: Tables; findComparisons: () => Promise<StoredComparison[]> }

/** Something outside of the table that compares the column with choices by their names. */
export type ChoiceUse = { kind: string; name: string; isNaming: (choice: string) => boolean }

/** All other operators compare by order or pattern, so that the result depends on the name of every choice. */
const byWholeValues = ['eq', 'neq', 'in', 'is', 'isdistinct', 'cs', 'cd', 'ov', 'default']

/**
 * All uses that compare the choices of the column, or of a lookup, rollup or formula that shows them: access rules,
 * share links, forms, and conditions of computed columns.
 */
export async function findChoiceUses({ tables, findComparisons }: ChangeScope, table: Table, column: Column): Promise<ChoiceUse[]> {
  const over = await idsOver(tables, table, column)
  const conditions = tables.list.flatMap((other) =>
    other.columns.flatMap(({ name, options }) =>
      ((options.filter ?? []) as LinkedFilter[]).map(({ column: columnId, operator, value }) => ({
        ...{ kind: 'column', name: `${other.name}.${name}`, columnId, operator },
        values: [value].flat(),
      })),
    ),
  )
  return [...(await findComparisons()), ...conditions]
    .filter(({ columnId }) => over.has(columnId))
    .map(({ kind, name, operator, values }) => ({
      ...{ kind, name },
      isNaming: (choice) => !byWholeValues.includes(operator) || values.some((value) => isSameOrIn(choice, value)),
    }))
}

/** @param value a name, or an array of names in braces */
const isSameOrIn = (choice: string, value: string): boolean => value === choice || (value.startsWith('{') && value.includes(choice))

/**
 * Refuses another type if access rules, share links or forms compare the values, since they would then find other
 * records: a number as text has another order, and a link becomes a name.
 * @throws Failure conflict
 */
export async function requireUncompared(
  { tables, findComparisons }: ChangeScope,
  table: Table,
  column: Column,
  path = '/type',
): Promise<void> {
  const over = await idsOver(tables, table, column)
  const found = (await findComparisons()).find(({ columnId, operator }) => operator !== 'default' && over.has(columnId))
  if (!found) return
  const subject = `${found.kind} ${JSON.stringify(found.name)}`
  throw conflict(translatable('The column cannot change its type, since the {subject} compares its values.', { subject }), {
    errors: [{ path, message: translatable('is compared by the {subject}', { subject }) }],
    hint: translatable('Change the {subject} first.', { subject }),
  })
}

/**
 * Does the same for a computed column whose computation changes.
 * @throws Failure conflict
 */
export async function requireComparedAlike(scope: ChangeScope, table: Table, before: Column, sqlType: string): Promise<void> {
  // Nothing compares a column that cannot be computed, and its type is a guess.
  if (before.options.problem === undefined && !isSameType(before.sqlType, sqlType))
    await requireUncompared(scope, table, before, '/options')
}

const idsOver = async (tables: Tables, table: Table, column: Column): Promise<Set<string>> =>
  new Set((await columnsOver(tables, table, column)).map((each) => each.column.id))
