import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { valueType } from '../../../tables/column-types/descriptors'
import { useStrings } from '../language'
import { displayText } from '../records/values/cell-text'
import type { ColumnInfo } from '../records/values/column'
import { labelsQuery } from '../records/values/linked-records'
import { peopleQuery } from '../records/values/people'
import { toText } from '../values/exact-json'
import { useLinkedTable } from './link-field'
import { LinkedRecords } from './linked-records'

type FieldValueProps = { column: ColumnInfo; value: unknown }

/** A read-only value, by the type of its column. */
export function FieldValue({ column, value }: FieldValueProps) {
  const { record, tables } = useStrings()
  if (value === null || value === undefined || value === '') return <span className="soft">{record.empty}</span>
  const type = valueType(column)
  // A lookup with several values is shown as text, except for links.
  switch (column.options.isMany && type !== 'link' ? 'text' : type) {
    case 'boolean':
      return value ? tables.yes : tables.no
    case 'date':
      return displayText(value, column, tables)
    case 'dateTime':
    case 'createdAt':
    case 'updatedAt':
      return <time dateTime={toText(value)}>{displayText(value, column, tables)}</time>
    case 'url':
      return <Anchor href={toText(value)}>{toText(value)}</Anchor>
    case 'email':
      return <Anchor href={`mailto:${toText(value)}`}>{toText(value)}</Anchor>
    case 'link':
    case 'manyLinks':
    case 'reverseLinks':
      return <LinkValue column={column} value={value} />
    case 'user':
    case 'createdBy':
    case 'updatedBy':
      return <UserValue id={toText(value)} />
    case 'json':
      return <pre className="mono value-text">{JSON.stringify(value, null, 2)}</pre>
    default:
      return (
        <span className="value-text">
          {Array.isArray(value) && !column.options.isMany ? value.map(toText).join(', ') : displayText(value, column, tables)}
        </span>
      )
  }
}

function LinkValue({ column, value }: FieldValueProps) {
  const target = useLinkedTable(column)
  const keys = [value].flat().map(toText)
  return target ? <LoadedLinks target={target} keys={keys} /> : keys.join(', ')
}

function LoadedLinks({ target, keys }: { target: NonNullable<ReturnType<typeof useLinkedTable>>; keys: string[] }) {
  const { data = [] } = useQuery(labelsQuery(target, keys))
  return <LinkedRecords target={target} keys={keys} choices={data} />
}

function UserValue({ id }: { id: string }) {
  const { data = [] } = useQuery(peopleQuery)
  return data.find((person) => person.id === id)?.name ?? <span className="mono">{id}</span>
}
