import { useQuery } from '@tanstack/react-query'
import { valueType } from '../../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../../tables/model'
import { tablesQuery } from '../../../api/queries'
import { useStrings } from '../../../language'
import { type ColumnInfo, isGeneratedKey, unusedColumnName, withKeyLast } from '../../../records/values/column'
import type { DraftProps } from '../column-draft'
import { LinkedFilterFields } from './linked-filter'
import { OptionSelect } from './option-select'

/** `table` is the table of the column. */
type LinkedProps = DraftProps & { table: TableView }

const linkingTypes = ['link', 'manyLinks', 'reverseLinks']
const summaries = ['sum', 'avg', 'min', 'max', 'list'] as const
/** Types that have no single value to read. */
const unreadableTypes = ['attachment', 'manyLinks', 'reverseLinks']
const numberTypes = ['integer', 'bigint', 'decimal', 'float', 'autoNumber', 'currency', 'percent', 'rating', 'duration']
const orderedTypes = [
  ...numberTypes,
  'text',
  'longText',
  'email',
  'url',
  'phone',
  'select',
  'date',
  'time',
  'dateTime',
  'createdAt',
  'updatedAt',
]

function isReadableBy(name: string | undefined, column: ColumnInfo): boolean {
  if (unreadableTypes.includes(column.type)) return false
  if (name === 'sum' || name === 'avg') return numberTypes.includes(valueType(column)) && !column.options.isMany
  if (name === 'min' || name === 'max') return orderedTypes.includes(valueType(column)) && !column.options.isMany
  return true
}

type IncomingLink = { value: string; label: string; source: TableView; column: string; name: string }

/**
 * The links from other tables to this one that no column of this table shows yet. Choosing such a link adds a column
 * for it, with the name `name`.
 */
export function incomingLinks(table: TableView, tables: readonly TableView[]): IncomingLink[] {
  const isShown = (id: string) => table.columns.some(({ type, options }) => type === 'reverseLinks' && options.column === id)
  return tables.flatMap((source) =>
    source.columns
      .filter(({ id, type, options }) => (type === 'link' || type === 'manyLinks') && options.table === table.id && !isShown(id))
      .map(({ id, name }) => ({
        value: `${source.id} ${id}`,
        label: `${source.name}: ${name}`,
        source,
        column: id,
        name: unusedColumnName(table, source.name),
      })),
  )
}

/** The options of a lookup, a rollup or a count. */
export function LinkedOptions(props: LinkedProps) {
  const { columns: words } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const { draft, set, table } = props
  const { options, type } = draft
  const links = table.columns.filter((column) => linkingTypes.includes(column.type))
  const incoming = incomingLinks(table, tables)
  const chosen = incoming.find(({ value }) => value === options.link)
  const targetId = chosen ? chosen.source.id : links.find(({ id: link }) => link === options.link)?.options.table
  const target = tables.find(({ id }) => id === targetId)
  const summary = type === 'rollup' ? options.function : undefined
  // Sums of keys make no sense.
  const isOffered = ({ id, name }: ColumnInfo) =>
    !((summary === 'sum' || summary === 'avg') && isGeneratedKey(target!, name)) || id === options.column
  const readable = target ? withKeyLast(target).filter((column) => isReadableBy(summary, column) && isOffered(column)) : []
  const change = (name: string, value: string) => set({ ...draft, options: { ...options, [name]: value } })
  return (
    <>
      <OptionSelect
        name="link"
        label={words.link}
        description={chosen ? words.incomingHelp(chosen.name) : links.length + incoming.length ? undefined : words.noLinks}
        value={options.link}
        data={[...links.map(({ id, name }) => ({ value: id, label: name })), ...incoming.map(({ value, label }) => ({ value, label }))]}
        // A different link leads to different columns.
        change={(link) => set({ ...draft, options: { link, ...(options.function ? { function: options.function } : {}) } })}
      />
      {type === 'rollup' ? (
        <OptionSelect
          name="function"
          label={words.rollupFunction}
          value={options.function}
          data={summaries.map((value) => ({ value, label: words.rollupFunctions[value] }))}
          change={(value) => change('function', value)}
        />
      ) : null}
      {type === 'count' ? null : (
        <OptionSelect
          name="column"
          label={target ? words.columnOf(target.name) : words.linkedColumn}
          value={options.column}
          data={readable.map(({ id, name }) => ({ value: id, label: name }))}
          change={(value) => change('column', value)}
        />
      )}
      {type !== 'lookup' && target ? (
        <LinkedFilterFields key={options.link} table={target} value={options.filter ?? '[]'} change={(value) => change('filter', value)} />
      ) : null}
    </>
  )
}

/** The links from other tables to this one. */
export function ReverseOptions({ draft, set, table }: LinkedProps) {
  const { columns: words } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const links = tables.flatMap((source) =>
    source.columns
      .filter(({ type, options }) => (type === 'link' || type === 'manyLinks') && options.table === table.id)
      .map((column) => ({ value: `${source.id} ${column.id}`, label: `${source.name}: ${column.name}` })),
  )
  const choose = (value: string) => {
    const [source = '', column = ''] = value.split(' ')
    const name = draft.name || (tables.find(({ id }) => id === source)?.name ?? '')
    set({ ...draft, name, options: { table: source, column } })
  }
  return (
    <OptionSelect
      name="column"
      label={words.reverseLink}
      description={links.length ? undefined : words.noLinksHere(table.name)}
      value={draft.options.table && `${draft.options.table} ${draft.options.column}`}
      data={links}
      change={choose}
    />
  )
}
