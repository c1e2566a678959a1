import { ActionIcon, Anchor, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TableView } from '../../../tables/model'
import { Icon } from '../components/icon'
import { useStrings } from '../language'
import { factsText, type RecordChoice } from '../records/values/linked-records'

/** The number of linked records that are listed before “Show more”. */
const listedFirst = 10

type LinkedRecordsProps = {
  target: TableView
  keys: readonly string[]
  choices: readonly RecordChoice[]
  /** Whether the control above shows the name already. */
  isNamed?: boolean
  remove?: (key: string) => void
}

/** Lists the linked records, each with its name, which opens it, and its first values. */
export function LinkedRecords({ target, keys, choices, isNamed = false, remove }: LinkedRecordsProps) {
  const { record: words, tables } = useStrings()
  const [isWhole, setWhole] = useState(false)
  const listed = isWhole ? keys : keys.slice(0, listedFirst)
  if (keys.length === 0) return null
  return (
    <>
      <ul className="linked">
        {listed.map((key) => {
          const { label = key, record } = choices.find(({ value }) => value === key) ?? {}
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
              <span className="facts">{factsText(target, record, tables)}</span>
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
