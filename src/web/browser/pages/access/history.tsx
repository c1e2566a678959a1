import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AccessChange, AccessRule } from '../../../../access/model'
import type { TableView } from '../../../../tables/model'
import { accessChangesQuery } from '../../api/access-document'
import { usersQuery } from '../../api/users-query'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { tableByName } from '../../records/values/column'
import { formatTimestamp } from '../../values/format'
import { groupLabel, lineWords, tableLabel, userNames } from './line-words'

const shownFirst = 5

/** The history of the rules: the time, the author and the lines of each change. */
export function AccessHistory({ tables }: { tables: readonly TableView[] }) {
  const { access } = useStrings()
  const query = useQuery(accessChangesQuery)
  const [isWhole, setWhole] = useState(false)
  return (
    <Panel title={access.history}>
      <Await query={query} lines={3}>
        {(changes) => (
          <>
            {changes.length === 0 ? <p className="soft">{access.noHistory}</p> : null}
            <ul className="rows">
              {(isWhole ? changes : changes.slice(0, shownFirst)).map((change) => (
                <Change key={change.id} change={change} tables={tables} />
              ))}
            </ul>
            {!isWhole && changes.length > shownFirst ? (
              <Button className="at-start" variant="default" onClick={() => setWhole(true)}>
                {access.showAll}
              </Button>
            ) : null}
          </>
        )}
      </Await>
    </Panel>
  )
}

function Change({ change, tables }: { change: AccessChange; tables: readonly TableView[] }) {
  const { access, admin } = useStrings()
  const { data: users } = useQuery(usersQuery)
  const user = users?.find(({ id }) => id === change.userId)
  const name = change.userId === null ? access.someoneUnknown : ((user?.name || user?.email) ?? admin.deleted)
  return (
    <li>
      <div>
        <h3>
          <time dateTime={change.at}>{formatTimestamp(change.at)}</time> · {name}
        </h3>
        {change.renamed ? <p>{access.followed(change.renamed.from, change.renamed.to)}</p> : null}
        <ChangedLines title={access.removed} rules={change.removed} tables={tables} />
        <ChangedLines title={access.added} rules={change.added} tables={tables} />
      </div>
    </li>
  )
}

function ChangedLines({ title, rules, tables }: { title: string; rules: readonly AccessRule[]; tables: readonly TableView[] }) {
  const strings = useStrings()
  const nameOf = userNames(useQuery(usersQuery).data)
  return rules.map((rule, index) => {
    const table = tableByName(tables, rule.table)
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a line of a past change is identified by its position
      <p key={index} className="facts">
        {title}: {groupLabel(rule.group, strings)} · {tableLabel(table?.id ?? rule.table, tables, strings)} —{' '}
        {lineWords(rule, table, nameOf, strings)}
      </p>
    )
  })
}
