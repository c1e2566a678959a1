import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Action, RuleExplanation } from '../../../../access/model'
import type { TableView } from '../../../../tables/model'
import { explain } from '../../api/access-document'
import { usersQuery } from '../../api/users-query'
import { canBeViewed } from '../../api/view-as'
import { Form, type FormValues } from '../../components/form/form'
import { Panel } from '../../components/panel'
import { useStrings } from '../../language'
import { groupLabel, ruleWords, userNames } from './line-words'
import { accessActions } from './lines'

type Answer = { explanation: RuleExplanation; name: string; table: TableView | undefined }

/** Explains which line allows or denies an action to a user. */
export function AccessExplanation({ tables, first }: { tables: readonly TableView[]; first: string | undefined }) {
  const { access } = useStrings()
  const { data: users = [] } = useQuery(usersQuery)
  // Administrators come last: access rules do not apply to them.
  const sortedUsers = [...users].sort((a, b) => Number(canBeViewed(b)) - Number(canBeViewed(a)))
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [tableId, setTableId] = useState(first ?? tables[0]?.id ?? '')
  const table = tables.find(({ id }) => id === tableId)
  const submit = async ({ user = '', action, pk = '' }: FormValues) => {
    setAnswer(null)
    const typed = pk.trim()
    const key = table?.primaryKey.length === 1 ? encodeURIComponent(typed) : typed.replaceAll(/\s*,\s*/g, ',')
    const explanation = await explain({ user, table: tableId, action: action as Action, ...(typed === '' ? {} : { pk: key }) })
    const named = users.find(({ id }) => id === user)
    setAnswer({ explanation, name: named?.name || named?.email || user, table })
  }
  return (
    <Panel title={access.why} text={access.whyText}>
      <Form action={access.ask} submit={submit}>
        <div className="two">
          <NativeSelect
            name="user"
            label={access.user}
            data={sortedUsers.map(({ id, name, email }) => ({ value: id, label: name || email }))}
          />
          <NativeSelect
            label={access.table}
            value={tableId}
            data={tables.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(event) => setTableId(event.currentTarget.value)}
          />
          <NativeSelect
            name="action"
            label={access.action}
            data={accessActions.map((value) => ({ value, label: access.actions[value] }))}
          />
          <TextInput name="pk" label={access.recordKey(table?.primaryKey ?? [])} placeholder={access.recordKeyHelp} autoComplete="off" />
        </div>
      </Form>
      <div role="status">{answer ? <ExplainedAnswer {...answer} /> : null}</div>
    </Panel>
  )
}

function ExplainedAnswer({ explanation: { decision, reason, rule, lines }, name, table }: Answer) {
  const strings = useStrings()
  const { access } = strings
  const deciding = lines.find((line) => line.rule === rule)
  const others = lines.filter((line) => line !== deciding)
  return (
    <div className="access-answer">
      <p>
        <strong>{access.decisions[decision](name)}</strong> {access.reasons[reason] ?? reason}
      </p>
      {deciding ? <ExplainedLine line={deciding} table={table} /> : null}
      {others.length > 0 ? (
        <>
          <h3>{access.linesOfTable}</h3>
          <ul className="stack">
            {others.map((line) => (
              <li key={line.rule}>
                <ExplainedLine line={line} table={table} />
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  )
}

function ExplainedLine({ line, table }: { line: RuleExplanation['lines'][number]; table: TableView | undefined }) {
  const strings = useStrings()
  const { access } = strings
  const nameOf = userNames(useQuery(usersQuery).data)
  const result = line.allows === null ? access.allowsSome : line.allows ? access.allows : access.allowsNot
  return (
    <p className="facts">
      {access.lineNumber(line.rule + 1)} · {groupLabel(line.group, strings)} · {ruleWords(line.text, table, nameOf, strings)} (
      {line.isMember ? result : access.notForUser})
    </p>
  )
}
