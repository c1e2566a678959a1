import { ActionIcon, Anchor, Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TableView } from '../../../tables/model'
import { Icon } from '../components/icon'
import { useStrings } from '../language'
import { displayText } from '../records/values/cell-text'
import { factColumns, linkedRecordsQuery, type RecordChoice } from '../records/values/linked-records'
import type { TableRecord } from '../records/values/record-key'

/** The number of linked records that are listed before the others are asked for. */
const listedFirst = 10

type LinkedRecordsProps = {
  target: TableView
  keys: readonly string[]
  choices: readonly RecordChoice[]
  /** Whether the control above shows the name already. */
  isNamed?: boolean
  remove?: (key: string) => void
}

/** The linked records as a list: the name of each, which opens it, and its first values. */
export function LinkedRecords({ target, keys, choices, isNamed = false, remove }: LinkedRecordsProps) {
  const { record: words } = useStrings()
  const [isWhole, setWhole] = useState(false)
  const listed = isWhole ? keys : keys.slice(0, listedFirst)
  const { data: records } = useQuery({ ...linkedRecordsQuery(target, listed), placeholderData: keepPreviousData })
  if (keys.length === 0) return null
  return (
    <>
      <ul className="linked">
        {listed.map((key) => {
          const label = choices.find(({ value }) => value === key)?.label ?? key
          return (
            <li key={key}>
              <Anchor
                inherit
                aria-label={isNamed ? words.openNamed(label) : undefined}
                renderRoot={(props) => (
                  <Link {...props} to="/tables/$tableId/records/$pk" params={{ tableId: target.id, pk: encodeURIComponent(key) }} />
                )}
              >
                {isNamed ? words.open : label}
              </Anchor>
              <Facts target={target} record={records?.get(key)} />
              {remove ? (
                <ActionIcon size="sm" variant="subtle" color="gray" aria-label={words.removeNamed(label)} onClick={() => remove(key)}>
                  <Icon name="close" size={14} />
                </ActionIcon>
              ) : null}
            </li>
          )
        })}
      </ul>
      {listed.length < keys.length ? (
        <Button size="compact-xs" variant="subtle" onClick={() => setWhole(true)}>
          {words.showMore(keys.length - listed.length)}
        </Button>
      ) : null}
    </>
  )
}

function Facts({ target, record }: { target: TableView; record?: TableRecord }) {
  const { tables } = useStrings()
  if (!record) return null
  const texts = factColumns(target).map((column) => {
    const value = record[column.name]
    if (value === null || value === undefined || value === '') return ''
    return typeof value === 'boolean' ? `${column.name}: ${value ? tables.yes : tables.no}` : displayText(value, column, tables)
  })
  return <span className="facts">{texts.filter(Boolean).join(' · ')}</span>
}
