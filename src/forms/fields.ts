import type { Problem } from '../errors'
import { type Message, translatable } from '../messages/message'
import type { Config } from '../ops/settings/config'
import type { Tables } from '../tables/catalog/catalog'
import { columnTypes } from '../tables/column-types'
import { displayColumnOf } from '../tables/display-column'
import type { Column, Table } from '../tables/model'
import { nearest } from '../tables/nearest'
import { allowsRead, allowsWrite, writableRows } from '../tables/row-rules'
import { type FieldCondition, fieldConditionProblem, readFieldConditions } from './conditions'
import { formFieldTypes } from './field-types'
import type { FormField } from './model'

/** The limits of one file field. `accept` is the form's; the column's own list applies as well. */
type FileLimits = { most: number; maxBytes: number; accept: string[] }

/** The source of the choices of a link. */
type OfferedTable = { table: Table; key: string; display: string }

/** A field with its current column. */
export type ResolvedField = {
  column: Column
  label: string
  help: string | null
  isRequired: boolean
  default: unknown
  canPrefill: boolean
  shownIf: string | null
  conditions: FieldCondition[]
  files?: FileLimits
  target?: OfferedTable
}

const defaultFileBytes = 10_000_000

/** Why a form cannot fill this table; null if it can. @param table with the rights of the service user */
export function formTableProblem(table: Table | undefined): Message | null {
  if (table && !table.isJoinTable && table.rights.insert && allowsWrite(table, 'create')) return null
  return translatable(
    'The service user "Forms" may not create records of this table. Add "Forms" to a group of its own, and add a rule that lets this group create all.',
  )
}

/**
 * A notice that access rules may reject submissions although the form is open; null if they accept all of them.
 * @param table with the rights of the service user
 */
export function formRuleNotice({ access, columns }: Table, fields: readonly ResolvedField[]): Message | null {
  if (!access) return null
  const written = fields.map(({ column }) => column)
  const rule = writableRows(access, 'create', written)
  if (typeof rule === 'string') return null
  // Rowhouse itself writes the service user into such a column.
  if (columns.some(({ name, type }) => name === rule.personColumn && type === 'createdBy')) return null
  return translatable(
    'A rule of access lets the service user "Forms" create only some records of this table, so answers may be refused. Add "Forms" to a group of its own, and add a rule that lets this group create all.',
  )
}

/**
 * The fields of a form with the current columns.
 * @param tables with the rights of the service user
 */
export function resolveFields(
  tables: Tables,
  table: Table,
  fields: readonly FormField[],
  config: Pick<Config, 'maxUploadBytes' | 'maxCellFiles'>,
): { fields: ResolvedField[]; problems: Problem[] } {
  const problems: Problem[] = []
  const names: string[] = []
  const resolved = fields.flatMap((field, index): ResolvedField[] => {
    const tell = (path: string, message: Message) => void problems.push({ path: `/fields/${index}${path}`, message })
    const column = columnNamed(table, field.column)
    if (!column) {
      tell('/column', unknownColumn(table, field.column))
      return []
    }
    if (names.includes(column.name)) tell('/column', translatable('is already in the form'))
    const unfit = columnProblem(table, column)
    if (unfit) tell('/column', unfit)
    const condition = field.shownIf === undefined ? null : fieldConditionProblem(field.shownIf, names)
    if (condition) tell('/shownIf', condition)
    const isLink = column.type === 'link' || column.type === 'manyLinks'
    const target = isLink && !unfit ? linkTarget(tables, table, column) : undefined
    if (isLink && !field.choices)
      tell('/choices', translatable('must be true for a link: everybody who opens the form then sees the names of the linked records'))
    else if (isLink && !unfit && !target)
      tell('/column', translatable('links to records that the service user "Forms" may not read, or that have no name'))
    if (field.files && column.type !== 'attachment') tell('/files', translatable('is only for attachment columns'))
    const isGiven = field.default !== undefined && field.default !== null
    const wrong = !isGiven || unfit ? null : defaultProblem(column, field.default)
    if (wrong) tell('/default', wrong)
    names.push(column.name)
    return [
      {
        column,
        label: field.label?.trim() || column.name,
        help: field.help?.trim() || null,
        // An unticked box is the value false.
        isRequired: field.required === true || (isNeeded(column) && column.type !== 'boolean'),
        default: isGiven ? field.default : null,
        canPrefill: field.prefill === true && column.type !== 'attachment',
        shownIf: field.shownIf ?? null,
        conditions: field.shownIf === undefined || condition ? [] : readFieldConditions(field.shownIf),
        ...(column.type === 'attachment' ? { files: fileLimits(column, field.files, config) } : {}),
        ...(target ? { target } : {}),
      },
    ]
  })
  const missing = table.columns.filter((column) => isNeeded(column) && !names.includes(column.name))
  for (const { name } of missing)
    problems.push({
      path: '/fields',
      message: translatable('The column "{name}" is required, so the form needs a field for it.', { name }),
    })
  for (const [index, field] of resolved.entries())
    if (field.conditions.length > 0 && isNeeded(field.column))
      problems.push({ path: `/fields/${index}/shownIf`, message: translatable('is only for columns that may be empty') })
  return { fields: resolved, problems }
}

const columnNamed = ({ columns }: Table, reference: string): Column | undefined => {
  const visible = columns.filter(({ access }) => !access?.isHidden)
  return visible.find(({ id }) => id === reference) ?? visible.find(({ name }) => name === reference)
}

function unknownColumn({ columns }: Table, reference: string): Message {
  const similar = nearest(
    reference,
    columns.flatMap(({ name, access }) => (access?.isHidden ? [] : [name])),
  )
  return similar === undefined
    ? translatable('is not a column of this table')
    : translatable('is not a column of this table; did you mean "{similar}"?', { similar })
}

/** Whether a new record needs a value for the column. */
const isNeeded = ({ required, filledBy, defaultExpression, joinTable, type }: Column): boolean =>
  required && filledBy === 'caller' && defaultExpression === null && !joinTable && type !== 'attachment'

function columnProblem(table: Table, column: Column): Message | null {
  const isFilled = ['generated', 'identityAlways', 'rowhouse'].includes(column.filledBy) && column.type !== 'attachment'
  if (!formFieldTypes.includes(column.type) || isFilled || (table.isOwn && column.filledBy === 'identity'))
    return translatable('cannot be filled in by a form')
  const isOpen = column.isWritable && !column.access?.isReadOnly && isCreatable(table, column)
  if (!isOpen) return translatable('may not be written by the service user "Forms"')
  if (column.type === 'attachment' && table.primaryKey.length === 0) return translatable('cannot be filled in by a form')
  return null
}

const isCreatable = ({ access }: Table, column: Column): boolean => !access || writableRows(access, 'create', [column]) !== 'none'

function defaultProblem(column: Column, value: unknown): Message | null {
  if (['attachment', 'link', 'manyLinks'].includes(column.type)) return translatable('cannot have a default')
  return columnTypes[column.type].problem(value, column.options, column.sqlType)
}

function linkTarget(tables: Tables, { foreignKeys }: Table, column: Column): OfferedTable | undefined {
  const foreignKey = foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === column.name)
  const table = column.joinTable
    ? tables.byId.get(column.joinTable.targetTableId)
    : foreignKey && tables.byQualifiedName.get(`${foreignKey.target.schema}.${foreignKey.target.name}`)
  const key = column.joinTable ? table?.primaryKey[0] : foreignKey?.targetColumns[0]
  const display = table && displayColumnOf(table)
  const isVisible = (name: string) =>
    table?.columns.some((other) => other.name === name && !other.access?.isHidden && !other.access?.isUnreadable)
  if (!key || !table || !display || !allowsRead(table) || !isVisible(display.name) || !isVisible(key)) return undefined
  return { table, key, display: display.name }
}

function fileLimits(
  { options }: Column,
  { most = 1, maxBytes = defaultFileBytes, accept = [] }: NonNullable<FormField['files']> = {},
  { maxUploadBytes, maxCellFiles }: Pick<Config, 'maxUploadBytes' | 'maxCellFiles'>,
): FileLimits {
  const ofColumn = typeof options.maxFiles === 'number' ? options.maxFiles : maxCellFiles
  const accepted = accept.length > 0 || !Array.isArray(options.accept) ? accept : (options.accept as string[])
  return { most: Math.min(most, ofColumn, maxCellFiles), maxBytes: Math.min(maxBytes, maxUploadBytes), accept: accepted }
}
