import { ActionIcon } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { TableView } from '../../../../tables/model'
import { toErrorMessage } from '../../api/api-error'
import { tablesQuery } from '../../api/queries'
import { ColumnTypeIcon } from '../../components/column-type-icon'
import { Icon } from '../../components/icon'
import { useStrings } from '../../language'
import { type ColumnInfo, canBecomeName, tableByName } from '../../records/values/column'
import { chooseRecordName, invalidateTable } from '../../records/values/column-data'
import { canRequire, displayOptionsOf, lineOptionsOf, type TypeName } from '../../records/values/column-kinds'
import { toText } from '../../values/exact-json'
import { optionText } from './options/display-options'

type ColumnRowProps = {
  table: TableView
  column: ColumnInfo
  className: string
  /** The control that moves the column. */
  handle: ReactNode
  edit?: () => void
  remove?: () => void
}

/** One column: name, type, options and actions. */
export function ColumnRow({ table, column, className, handle, edit, remove }: ColumnRowProps) {
  const strings = useStrings()
  const { columns: words } = strings
  const naming = useMutation({ mutationFn: () => chooseRecordName(table, column), onSuccess: invalidateTable })
  const marks = [
    table.primaryKey.includes(column.name) ? words.key : '',
    column.required && canRequire(column.type) ? words.required : '',
    column.unique ? words.unique : '',
    table.displayColumn === column.name ? words.recordName : '',
  ].filter(Boolean)
  return (
    <li className={`column ${className}`}>
      {handle}
      <span className="column-icon">
        <ColumnTypeIcon type={column.type} size={18} />
      </span>
      <div className="column-head">
        <h2 className="column-name">{column.name}</h2>
        <span className="soft">{words.types[column.type as TypeName] ?? words.otherType}</span>
        {marks.map((mark) => (
          <span key={mark} className="badge">
            {mark}
          </span>
        ))}
      </div>
      {column.description ? <p className="column-description">{column.description}</p> : null}
      <Details column={column} />
      {naming.error ? (
        <p role="alert" className="alert column-facts">
          {toErrorMessage(naming.error, strings)}
        </p>
      ) : null}
      <span className="column-actions">
        {edit && canBecomeName(table, column) ? (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={words.becomeNameOf(column.name)}
            title={words.becomeName}
            onClick={() => naming.mutate()}
          >
            <Icon name="check" />
          </ActionIcon>
        ) : null}
        {edit ? (
          <ActionIcon variant="subtle" color="gray" aria-label={words.editOf(column.name)} title={words.edit} onClick={edit}>
            <Icon name="pencil" />
          </ActionIcon>
        ) : null}
        {remove ? (
          <ActionIcon variant="subtle" color="gray" aria-label={words.deleteTitle(column.name)} title={words.delete} onClick={remove}>
            <Icon name="trash" />
          </ActionIcon>
        ) : null}
      </span>
    </li>
  )
}

/** Options and default. */
function Details({ column: { type, options, default: value } }: { column: ColumnInfo }) {
  const strings = useStrings()
  const { columns: words } = strings
  const { data: tables = [] } = useQuery(tablesQuery)
  const target = options.table === undefined ? undefined : tableByName(tables, String(options.table))
  const {
    choices = [],
    expression,
    formula = expression,
  } = options as { choices?: (string | { value: string })[]; formula?: string; expression?: string }
  const named = [...lineOptionsOf(type), ...displayOptionsOf(type), 'onDelete', 'ignoreCase'].filter((name) => options[name] !== undefined)
  const facts = [
    choices.map((choice) => (typeof choice === 'string' ? choice : choice.value)).join(', '),
    ...named.map(
      (name) =>
        `${words.optionLabels[name as keyof typeof words.optionLabels] ?? name}: ${words.onDelete[options[name] as 'setNull'] ?? optionText(type, name, options[name], strings)}`,
    ),
    value === null || value === undefined ? '' : `${words.default}: ${toText(value)}`,
  ].filter(Boolean)
  if (facts.length === 0 && !target && !formula && type !== 'link') return null
  return (
    <p className="facts column-facts">
      {target ? (
        <Link to="/tables/$tableId" params={{ tableId: target.id }}>
          {target.name}
        </Link>
      ) : null}
      {formula ? <code className="mono">{formula}</code> : null}
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  )
}
