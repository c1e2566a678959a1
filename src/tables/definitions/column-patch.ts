import { conflict, type Problem, validationFailed } from '../../errors'
import { translatable } from '../../messages/message'
import type { Tables } from '../catalog/catalog'
import { columnTypes } from '../column-types'
import type { ColumnDescription } from '../ddl'
import { isKeyFilledByDatabase } from '../ddl'
import type { Column, ColumnPatch, Table } from '../model'
import { type ChoiceRenames, renamedOptions, renamedSql, renamedValue, renameProblems } from './choice-renames'
import { type ColumnConversion, columnConversion } from './column-conversion'
import { demandProblems, descriptionProblems, optionProblems } from './column-validation'
import { columnNameProblems } from './names'
import { linked } from './table-description'

/** What a patch asks for. `conversion` is there where values have to be looked at. */
export type ColumnChange = {
  after: ColumnDescription
  conversion: ColumnConversion | null
  /** Whether there is another default, or may be. */
  isDefaultSent: boolean
  renames?: ChoiceRenames
}

/**
 * The column as it is to be.
 * @throws Failure validation_failed with every problem at once, conflict where such a column cannot become the other
 */
export function describeChange(table: Table, before: Column, patch: ColumnPatch, tables: Tables): ColumnChange {
  const type = patch.type ?? before.type
  const definition = columnTypes[type]
  const present = patch.renameChoices ? renamedOptions(before.options, patch.renameChoices) : before.options
  const options = patch.options ?? (type === before.type ? present : {})
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
  const isSame = type === before.type && !renames && (patch.options === undefined || Bun.deepEquals(patch.options, before.options))
  const isSent = Object.hasOwn(patch, 'default')
  const kept = renames ? renamedValue(before.default, renames) : before.default
  const after = {
    id: before.id,
    name: patch.name ?? before.name,
    type,
    required: table.primaryKey.includes(before.name) || (definition.required ?? patch.required ?? before.required),
    unique: patch.unique ?? (before.unique && !definition.lacks?.includes('unique')),
    default: isSent ? patch.default : kept,
    options,
    description: patch.description === undefined ? before.description : patch.description || null,
    sqlType: isSame ? before.sqlType : definition.sqlType(options),
  }
  const isDefaultSent = isSent || kept !== before.default
  if (isSame) return { after, conversion: null, isDefaultSent }
  const change = convertedColumn(table, before, after, tables)
  if (!renames || !change.conversion) return { ...change, isDefaultSent }
  return { ...change, conversion: { ...change.conversion, renamed: renamedSql(before, renames) }, isDefaultSent, renames }
}

function convertedColumn(table: Table, before: Column, described: ColumnDescription, tables: Tables): Omit<ColumnChange, 'isDefaultSent'> {
  const after = linked(described, tables, table, '')
  if ('path' in after) throw validationFailed([after])
  if (isKeyFilledByDatabase(before))
    throw conflict(translatable('This key is made by the database and stays as it is.'), {
      errors: [{ path: '/type', message: translatable('cannot be changed') }],
    })
  // Its values are computed anew, whatever they were.
  const isComputed = before.type === 'formula' || columnTypes[before.type].isVirtual
  if (isComputed && after.type === before.type) return { after, conversion: null }
  const conversion =
    before.type === 'manyLinks' || columnTypes[before.type].isVirtual || columnTypes[after.type].isVirtual
      ? null
      : columnConversion(before, after)
  if (!conversion) throw impossible(before, after)
  if (table.primaryKey.includes(before.name) && !conversion.isKept) {
    throw conflict(translatable('The column is part of the key, and addresses and links hold its values: its type stays.'), {
      errors: [{ path: '/type', message: translatable('cannot be changed') }],
    })
  }
  return { after, conversion }
}

const impossible = (before: Column, after: ColumnDescription) =>
  conflict(
    after.type === before.type
      ? translatable('A column of the type {type} cannot become one with these options.', { type: before.type })
      : translatable('A column of the type {type} cannot become one of the type {wanted}.', { type: before.type, wanted: after.type }),
    {
      errors: [{ path: after.type === before.type ? '/options' : '/type', message: translatable('cannot be changed') }],
      hint: translatable('Add a new column, and delete this one when it is no longer needed.'),
    },
  )

/** What answers show beside the options that can be sent. */
const withoutOwn = ({ generated, ...options }: Record<string, unknown>, before: Column) =>
  isKeyFilledByDatabase(before) && generated === true ? options : generated === undefined ? options : { ...options, generated }

function nameProblems({ columns }: Table, before: Column, { name }: ColumnPatch): Problem[] {
  if (name === undefined || name === before.name) return []
  const isTaken = columns.some((column) => column.name === name)
  return isTaken ? [{ path: '/name', message: translatable('This name is taken by another column.') }] : columnNameProblems(name, '/name')
}

/** Choices that are not sent are those that the column has. */
const findsChoices = (type: string): boolean => type === 'select' || type === 'multiSelect'

const generatedProblems = (before: Column, { default: value }: ColumnPatch): Problem[] =>
  isKeyFilledByDatabase(before) && (value ?? null) !== null
    ? [{ path: '/default', message: translatable('The database makes this key already.') }]
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
