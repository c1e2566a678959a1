import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useStrings } from '../../../language'
import { textOf } from '../../../values/exact-json'
import { shownText } from '../../grid/view/cell-text'
import type { Column } from '../data/column'
import { labelsQuery } from '../data/linked-records'
import { peopleQuery } from '../data/people'
import { Linked, useTarget } from './link-field'

type ValueProps = { column: Column; value: unknown }

/** A value to read, by the type of its column. */
export function Value({ column, value }: ValueProps) {
  const { record, tables } = useStrings()
  if (value === null || value === undefined || value === '') return <span className="soft">{record.empty}</span>
  const type = column.type === 'formula' ? String(column.options.valueType) : column.type
  switch (type) {
    case 'boolean':
      return value ? tables.yes : tables.no
    case 'date':
      return shownText(value, column, tables)
    case 'dateTime':
    case 'createdAt':
    case 'updatedAt':
      return <time dateTime={textOf(value)}>{shownText(value, column, tables)}</time>
    case 'url':
      return <Anchor href={textOf(value)}>{textOf(value)}</Anchor>
    case 'email':
      return <Anchor href={`mailto:${textOf(value)}`}>{textOf(value)}</Anchor>
    case 'link':
    case 'manyLinks':
      return <LinkValue column={column} value={value} />
    case 'user':
    case 'createdBy':
    case 'updatedBy':
      return <PersonValue id={textOf(value)} />
    case 'json':
      return <pre className="mono value-text">{JSON.stringify(value, null, 2)}</pre>
    default:
      return <span className="value-text">{Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value)}</span>
  }
}

function LinkValue({ column, value }: ValueProps) {
  const target = useTarget(column)
  const keys = [value].flat().map(textOf)
  return target ? <FoundLinks target={target} keys={keys} /> : keys.join(', ')
}

function FoundLinks({ target, keys }: { target: NonNullable<ReturnType<typeof useTarget>>; keys: string[] }) {
  const { data = [] } = useQuery(labelsQuery(target, keys))
  return <Linked target={target} keys={keys} choices={data} />
}

function PersonValue({ id }: { id: string }) {
  const { data = [] } = useQuery(peopleQuery)
  return data.find((person) => person.id === id)?.name ?? <span className="mono">{id}</span>
}
