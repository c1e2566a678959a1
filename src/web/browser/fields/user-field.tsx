import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useStrings } from '../language'
import { peopleQuery } from '../records/values/people'
import { controlProps, type FieldProps } from './field-props'

export function UserField(props: FieldProps) {
  const { record } = useStrings()
  const { data: people = [] } = useQuery(peopleQuery)
  const { column, draft, change } = props
  const id = String(draft ?? '')
  const control = controlProps(props)
  const isKnown = id === '' || people.some((person) => person.id === id)
  if (!isKnown) return <TextInput {...control} value={id} onChange={(event) => change(event.currentTarget.value)} />
  return (
    <Select
      {...control}
      data={people.filter((person) => person.isOffered || person.id === id).map((person) => ({ value: person.id, label: person.name }))}
      value={id || null}
      onChange={(value) => change(value ?? '')}
      allowDeselect={false}
      searchable
      selectFirstOptionOnChange
      clearable
      clearButtonProps={{ 'aria-label': record.clear(column.name) }}
      nothingFoundMessage={record.noMatchingChoices}
    />
  )
}
