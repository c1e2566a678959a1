import { conflict, type Problem, validationFailed } from '../../errors'
import { translatable } from '../../messages/message'
import type { Tables } from '../catalog/catalog'
import { columnTypes } from '../column-types'
import { textTypes } from '../column-types/descriptors'
import { ignoresCase, withCaseRule } from '../constraints'
import type { ColumnDescription } from '../ddl'
import { isKeyFilledByDatabase } from '../ddl'
import type { Column, ColumnPatch, Table } from '../model'
import type { Notation } from '../notation'
import { demandProblems, descriptionProblems, optionProblems } from './column-validation'
import { type ChoiceRenames, renamedOptions, renamedSql, renamedValue, renameProblems } from './conversion/choice-renames'
import {
  type ColumnConversion,
  columnConversion,
  keysOfOtherRecords,
  listConversion,
  namedConversion,
  type WrittenForm,
} from './conversion/column-conversion'
import { fromList, linkToList, namesToList } from './links/link-lists'
import { type LookupRun, nameLookup } from './links/linked-names'
import { columnNameProblems } from './names'
import { linked } from './table-description'

/** The change that a patch asks for. `conversion` is set if the values have to be checked. */
export type ColumnChange = {
  after: ColumnDescription
  conversion: ColumnConversion | null
  /** Whether the default changes, or may change. */
  isDefaultSent: boolean
  renames?: ChoiceRenames
  run: ChangeRun
}

/** `notation` is the notation of numbers and dates in the texts of the column. */
export type ChangeRun = LookupRun & { notation: WrittenForm & { ambiguous: (keyof Notation)[] } }

/**
 * The column after the change.
 * @throws Failure validation_failed with every problem at once, conflict if the column cannot become such a column
 */
export function describeChange(table: Table, before: Column, patch: ColumnPatch, tables: Tables, run: ChangeRun): ColumnChange {
  const type = patch.type ?? before.type
  const definition = columnTypes[type]
  // A required link cannot be emptied when the linked record is deleted.
  const isEmptied = type === 'link' && patch.required === true && before.options.onDelete === 'setNull'
  const present = presentOptions(before, patch, isEmptied)
  const unique = patch.unique ?? (before.unique && !definition.lacks?.includes('unique'))
  const wasUnique = before.unique ? { isCaseless: ignoresCase(before) || table.caselessKeys.includes(before.name) } : undefined
  const options = withCaseRule({ type, unique, options: patch.options ?? (keepsOptions(before.type, type) ? present : {}) }, wasUnique)
  const asked = {
    type,
    ...(patch.required === undefined ? {} : { required: patch.required }),
    unique: patch.unique,
    default: patch.default,
  }
  const problems = [
    ...nameProblems(table, before, patch),
    ...renameProblems(before, type, patch, options),
    ...(patch.options || patch.renameChoices || (type !== before.type && !findsChoices(type))
      ? optionProblems({ type, options: withoutOwn(options, before) }, '')
      : []),
    ...demandProblems(asked, ''),
    ...keyProblems(table, before, patch),
    ...nullProblems(before, patch),
    ...descriptionProblems(patch, ''),
    ...generatedProblems(before, patch),
  ]
  if (problems.length) throw validationFailed(problems)
  const renames = Object.keys(patch.renameChoices ?? {}).length ? patch.renameChoices : undefined
  const isSame =
    type === before.type && !renames && !isEmptied && (patch.options === undefined || saysTheSame(patch.options, before.options))
  // PostgreSQL does not drop the default of a column that it counts, even if there is no default.
  const isSent = Object.hasOwn(patch, 'default') && ((patch.default ?? null) !== null || before.defaultExpression !== null)
  const kept = renames ? renamedValue(before.default, renames) : before.default
  const after = {
    id: before.id,
    name: patch.name ?? before.name,
    type,
    required: table.primaryKey.includes(before.name) || (definition.required ?? patch.required ?? before.required),
    unique,
    default: isSent ? patch.default : kept,
    options,
    description: patch.description === undefined ? before.description : patch.description || null,
    sqlType: isSame ? before.sqlType : definition.sqlType(options),
  }
  const isDefaultSent = isSent || kept !== before.default
  const change = isSame ? { after, conversion: null } : convertedColumn(table, before, after, tables, patch, run)
  if (patch.createLinked && !change.conversion?.names) throw validationFailed([noNames])
  if (!renames || !change.conversion) return { ...change, isDefaultSent, run }
  return { ...change, conversion: { ...change.conversion, renamed: renamedSql(before, renames) }, isDefaultSent, renames, run }
}

/** `ignoreCase` affects the index of the column, and not its values. */
const saysTheSame = (options: Record<string, unknown>, others: Record<string, unknown>): boolean =>
  Bun.deepEquals({ ...options, ignoreCase: null }, { ...others, ignoreCase: null })

const noNames = { path: '/createLinked', message: translatable('Only texts that become links can create records.') }

function convertedColumn(
  table: Table,
  before: Column,
  described: ColumnDescription,
  tables: Tables,
  { createLinked = false }: ColumnPatch,
  run: ChangeRun,
): Pick<ColumnChange, 'after' | 'conversion'> {
  const after = linked(described, tables, table, '')
  if ('path' in after) throw validationFailed([after])
  if (isKeyFilledByDatabase(before))
    throw conflict(translatable('The database generates this key; it cannot be changed.'), {
      errors: [{ path: '/type', message: translatable('cannot be changed') }],
    })
  // Its values are computed again in any case.
  const isComputed = before.type === 'formula' || columnTypes[before.type].isVirtual
  if (isComputed && after.type === before.type) return { after, conversion: null }
  const isVirtual = columnTypes[before.type].isVirtual || columnTypes[after.type].isVirtual
  // The real run renames the column first.
  const conversion = isVirtual
    ? null
    : conversionOf(table, run.isDryRun ? before : { ...before, name: after.name }, after, tables, createLinked, run)
  if (!conversion) throw impossible(before, after)
  if (table.primaryKey.includes(before.name) && !conversion.isKept) {
    throw conflict(translatable('The column is part of the key, and URLs and links contain its values: its type cannot change.'), {
      errors: [{ path: '/type', message: translatable('cannot be changed') }],
    })
  }
  // A list of links has no default.
  return { after: after.type === 'manyLinks' ? { ...after, default: null } : after, conversion }
}

const fromListTypes = ['text', 'longText', 'link']

function conversionOf(
  table: Table,
  before: Column,
  after: ColumnDescription,
  tables: Tables,
  isCreating: boolean,
  run: ChangeRun,
): ColumnConversion | null {
  if (before.type === 'manyLinks') {
    const isSameTarget = after.type !== 'link' || after.options.table === before.options.table
    return fromListTypes.includes(after.type) && isSameTarget ? listConversion(fromList(table, before, after, tables)) : null
  }
  const isNaming = textTypes.includes(before.type) || (before.type === 'multiSelect' && after.type === 'manyLinks')
  const lookup = after.type === 'link' || after.type === 'manyLinks' ? nameLookup(table, before, after, tables, isCreating) : null
  if (after.type === 'manyLinks') {
    if (lookup && isNaming) return listConversion(namesToList(table, before, after, lookup, run), lookup)
    const isWider = before.type === 'link' && after.options.table === before.options.table
    return isWider ? listConversion(linkToList(table, before, after)) : null
  }
  if (lookup && isNaming) return namedConversion(before, lookup, run)
  const isElsewhere = before.type === 'link' && after.type === 'link' && after.options.table !== before.options.table
  if (isElsewhere) return keysOfOtherRecords
  return columnConversion(before, after, tables.byId.get(String(before.options.table)), run.notation)
}

const impossible = (before: Column, after: ColumnDescription) =>
  conflict(
    after.type === before.type
      ? translatable('A column of the type {type} cannot be changed to these options.', { type: before.type })
      : translatable('A column of the type {type} cannot be converted to the type {wanted}.', { type: before.type, wanted: after.type }),
    {
      errors: [{ path: after.type === before.type ? '/options' : '/type', message: translatable('cannot be changed') }],
      hint: translatable('Add a new column, and delete this one when it is no longer needed.'),
    },
  )

/** Drops a `generated` that only repeats the one in a response. */
const withoutOwn = ({ generated, ...options }: Record<string, unknown>, before: Column) =>
  isKeyFilledByDatabase(before) && generated === true ? options : generated === undefined ? options : { ...options, generated }

function nameProblems({ columns }: Table, before: Column, { name }: ColumnPatch): Problem[] {
  if (name === undefined || name === before.name) return []
  const isTaken = columns.some((column) => column.name === name)
  return isTaken ? [{ path: '/name', message: translatable('This name is taken by another column.') }] : columnNameProblems(name, '/name')
}

/** Whether the column's values become its choices if none are sent. */
const findsChoices = (type: string): boolean => type === 'select' || type === 'multiSelect'

/** Whether a column that changes from one type to the other has the same options. */
const keepsOptions = (from: string, to: string): boolean => from === to || (findsChoices(from) && findsChoices(to))

/** @param isEmptied whether the present rule of deletion would empty a required link: then it gets the default rule */
function presentOptions({ options }: Column, { renameChoices }: ColumnPatch, isEmptied: boolean): Record<string, unknown> {
  if (isEmptied) return { table: options.table }
  return renameChoices ? renamedOptions(options, renameChoices) : options
}

const generatedProblems = (before: Column, { default: value }: ColumnPatch): Problem[] =>
  isKeyFilledByDatabase(before) && (value ?? null) !== null
    ? [{ path: '/default', message: translatable('The database already generates this key.') }]
    : []

function keyProblems({ primaryKey }: Table, before: Column, { required }: ColumnPatch): Problem[] {
  return required === false && primaryKey.includes(before.name)
    ? [{ path: '/required', message: translatable('A column of the key always has a value.') }]
    : []
}

function nullProblems(before: Column, { required = before.required, onFailure }: ColumnPatch): Problem[] {
  return onFailure === 'null' && required
    ? [
        {
          path: '/onFailure',
          message: translatable('The column is required, so its values cannot be set to null; send required: false as well.'),
        },
      ]
    : []
}
