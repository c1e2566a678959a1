/** The input that edits a cell. */
type Editor =
  | 'text'
  | 'longText'
  | 'number'
  | 'checkbox'
  | 'date'
  | 'time'
  | 'dateTime'
  | 'json'
  | 'select'
  | 'multiSelect'
  | 'link'
  | 'links'
  | 'user'
  | 'files'
  | 'none'

/** How a cell is displayed. */
export type CellKind =
  | 'text'
  | 'longText'
  | 'number'
  | 'boolean'
  | 'date'
  | 'dateTime'
  | 'time'
  | 'select'
  | 'multiSelect'
  | 'link'
  | 'manyLinks'
  | 'json'
  | 'files'
  | 'address'
  | 'person'

/**
 * Facts about a type that both the service and the web UI need: plain data, the only part of the service that the web
 * UI imports at run time.
 */
export type ColumnTypeDescriptor = {
  /** Its group in the menu of types. Absent if no column can be made with it. */
  group?: 'text' | 'numbers' | 'choices' | 'time' | 'others'
  editor: Editor
  /** For a formula, the kind of its `valueType` is used instead. */
  cell: CellKind
  /** The source of its values, if that is not the caller. */
  filledBy?: 'identityAlways' | 'generated' | 'rowhouse'
  /** True if every record always has a value, false if no value can be required. */
  required?: boolean
  /** Features that the column cannot have. */
  lacks?: readonly ('unique' | 'default')[]
  /** No column can change from or to this type. */
  keepsType?: true
  /** PostgreSQL has neither a column nor a table for it: its values are read from other tables. */
  isVirtual?: true
  /** The options that a form asks for as lines of text, in their order. */
  lineOptions?: readonly string[]
  /** The options that define how pages display the values. */
  displayOptions?: readonly string[]
}

const textOptions = ['minLength', 'maxLength', 'pattern']
const bounds = ['min', 'max']
const number = { group: 'numbers', editor: 'number', cell: 'number' } as const

/** The database or the service gives it its value. */
const filled = { editor: 'none', filledBy: 'rowhouse', lacks: ['unique', 'default'] } as const
const moment = { ...filled, group: 'time', cell: 'dateTime', required: true } as const
/** Computed from linked records at each read. The type in `options.valueType` describes the values. */
const computed = {
  ...filled,
  group: 'others',
  cell: 'text',
  filledBy: 'generated',
  required: false,
  keepsType: true,
  isVirtual: true,
} as const
const author = { ...filled, group: 'others', cell: 'person', required: false } as const

/** An entry for every type, in the order of the menu. */
const descriptors = {
  text: { group: 'text', editor: 'text', cell: 'text', lineOptions: textOptions },
  longText: { group: 'text', editor: 'longText', cell: 'longText', lineOptions: textOptions },
  email: { group: 'text', editor: 'text', cell: 'address' },
  url: { group: 'text', editor: 'text', cell: 'address' },
  phone: { group: 'text', editor: 'text', cell: 'address' },
  integer: { ...number, lineOptions: bounds, displayOptions: ['thousands'] },
  bigint: { ...number, lineOptions: bounds, displayOptions: ['thousands'] },
  decimal: { ...number, lineOptions: ['precision', 'scale', ...bounds], displayOptions: ['thousands'] },
  currency: { ...number, lineOptions: ['currency', 'precision', 'scale', ...bounds], displayOptions: ['thousands'] },
  percent: { ...number, lineOptions: bounds },
  float: { ...number, lineOptions: bounds, displayOptions: ['thousands', 'decimals'] },
  rating: { ...number, lineOptions: ['max'] },
  autoNumber: { group: 'numbers', editor: 'none', cell: 'number', filledBy: 'identityAlways', required: true, lacks: ['default'] },
  formula: {
    ...filled,
    group: 'numbers',
    cell: 'text',
    filledBy: 'generated',
    required: false,
    keepsType: true,
    displayOptions: ['decimals', 'currency'],
  },
  boolean: { group: 'choices', editor: 'checkbox', cell: 'boolean' },
  select: { group: 'choices', editor: 'select', cell: 'select' },
  multiSelect: { group: 'choices', editor: 'multiSelect', cell: 'multiSelect' },
  date: { group: 'time', editor: 'date', cell: 'date', lineOptions: bounds, displayOptions: ['dateFormat'] },
  time: { group: 'time', editor: 'time', cell: 'time', displayOptions: ['timeFormat'] },
  dateTime: { group: 'time', editor: 'dateTime', cell: 'dateTime', lineOptions: bounds, displayOptions: ['dateFormat', 'timeFormat'] },
  duration: { ...number, group: 'time', lineOptions: bounds },
  createdAt: moment,
  updatedAt: moment,
  link: { group: 'others', editor: 'link', cell: 'link' },
  manyLinks: { group: 'others', editor: 'links', cell: 'manyLinks', required: false, lacks: ['unique', 'default'] },
  reverseLinks: {
    group: 'others',
    editor: 'links',
    cell: 'manyLinks',
    required: false,
    lacks: ['unique', 'default'],
    keepsType: true,
    isVirtual: true,
  },
  lookup: { ...computed, displayOptions: ['decimals'] },
  rollup: { ...computed, displayOptions: ['decimals'] },
  count: { ...computed, cell: 'number' },
  user: { group: 'others', editor: 'user', cell: 'person', required: false, lacks: ['default'] },
  createdBy: author,
  updatedBy: author,
  attachment: {
    ...filled,
    group: 'others',
    editor: 'files',
    cell: 'files',
    required: true,
    keepsType: true,
    lineOptions: ['maxFiles', 'accept'],
  },
  json: { group: 'others', editor: 'json', cell: 'json' },
  uuid: { group: 'others', editor: 'text', cell: 'text' },
  other: { editor: 'text', cell: 'text' },
} as const satisfies Record<string, ColumnTypeDescriptor>

export type ColumnTypeName = keyof typeof descriptors

export const columnTypeDescriptors: Record<ColumnTypeName, ColumnTypeDescriptor> = descriptors

/** Null if no type has the name. */
export const findColumnType = (name: string): ColumnTypeDescriptor | null =>
  Object.hasOwn(columnTypeDescriptors, name) ? columnTypeDescriptors[name as ColumnTypeName] : null

/** Types whose values are plain texts. */
export const textTypes: readonly string[] = [
  ...Object.entries(columnTypeDescriptors).flatMap(([name, { group }]) => (group === 'text' ? [name] : [])),
  'select',
]

/** Types whose values cannot name a record in one line. */
const namelessTypes: readonly string[] = ['attachment', 'json', 'manyLinks', 'reverseLinks']

/** The values are keys of other records and of users, which people do not know. */
const keyTypes: readonly string[] = ['link', 'user', 'createdBy', 'updatedBy']

type TypedColumn = { type: string; options: Readonly<Record<string, unknown>> }

/** The type of a column's values: its own type, or `options.valueType` if they are computed. */
export const valueType = ({ type, options }: TypedColumn): string => (typeof options.valueType === 'string' ? options.valueType : type)

export const canNameRecords = ({ type, options }: TypedColumn): boolean => !namelessTypes.includes(type) && options.isMany !== true

/** Whether a column can be chosen to name records. A link cannot, but a lookup of the linked record's name can. */
export const canBeChosenAsName = (column: TypedColumn): boolean => canNameRecords(column) && !keyTypes.includes(valueType(column))

/** Excludes choices, since many records have the same one. */
const namingTypes = ['email', 'url', 'phone', 'longText']

/**
 * The column that names the records: the chosen column, else the first text, else the first of `namingTypes`, else the
 * key, else the first column. Undefined for a table without columns.
 */
export function namingColumn<Column extends TypedColumn & { id: string; name: string }>(
  columns: readonly Column[],
  primaryKey: readonly string[],
  chosenId?: string | null,
): Column | undefined {
  const others = columns.filter(({ name }) => !primaryKey.includes(name))
  return (
    columns.find((column) => column.id === chosenId && canBeChosenAsName(column)) ??
    others.find(({ type }) => type === 'text') ??
    columns.find(({ type }) => namingTypes.includes(type)) ??
    columns.find(({ name }) => name === primaryKey[0]) ??
    columns[0]
  )
}

/** The number of values that distinguish records in addition to their names. */
const maxFacts = 3

const shortTypes = [
  ...['text', 'email', 'phone', 'integer', 'bigint', 'decimal', 'float', 'boolean'],
  ...['date', 'dateTime', 'time', 'duration', 'select', 'percent', 'currency'],
]

/** The first columns whose values are short. @param others names of columns to leave out */
export const shortColumns = <Column extends { name: string; type: string }>(
  columns: readonly Column[],
  others: readonly string[],
): Column[] => columns.filter(({ name, type }) => shortTypes.includes(type) && !others.includes(name)).slice(0, maxFacts)

/** The number of decimal places to which pages round the values of a column; undefined if they show all. */
export const decimalsOf = ({ decimals, sourceDecimals }: Record<string, unknown>): number | undefined =>
  [decimals, sourceDecimals].find((places) => typeof places === 'number')

/** The decimal places that amounts of a currency have. */
export const currencyDecimals = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

const wholeTypes = ['integer', 'bigint', 'count']

/** The default of the option `thousands`: off for whole numbers, which may be years or postal codes. */
export const separatesThousands = (type: string): boolean => !wholeTypes.includes(type)
