import { useQuery } from '@tanstack/react-query'
import type { AuditEntry } from '../../../../auth/audit/audit-log'
import { groupsQuery } from '../../api/groups-query'
import { userLabel, usersQuery } from '../../api/users-query'
import { useStrings } from '../../language'
import { formatTimestamp } from '../../values/format'

export function AuditTable({ entries }: { entries: AuditEntry[] }) {
  const { admin, groups: words } = useStrings()
  const { data: users } = useQuery(usersQuery)
  const { data: groups } = useQuery(groupsQuery)
  const nameOf = (id: string | null) => {
    const found = users?.find((user) => user.id === id)
    return found ? userLabel(found) : id === null ? null : admin.deleted
  }
  const groupOf = (id: string | null) => groups?.find((group) => group.id === id)?.name ?? words.deleted
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className="table-frame" tabIndex={0} aria-label={admin.audit}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{admin.time}</th>
            <th scope="col">{admin.event}</th>
            <th scope="col">{admin.result}</th>
            <th scope="col">{admin.by}</th>
            <th scope="col">{admin.target}</th>
            <th scope="col">{admin.ip}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <AuditLine key={entry.id} entry={entry} nameOf={nameOf} groupOf={groupOf} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The target of other events, such as those of tokens and sessions, is not a user. */
const isOfUser = (kind: AuditEntry['kind']) => /^(user_|login)/.test(kind)

/** The maximum number of names listed when members are added or removed together. */
const maxNames = 10

type AuditLineProps = { entry: AuditEntry; nameOf: (id: string | null) => string | null; groupOf: (id: string | null) => string }

function AuditLine({ entry, nameOf, groupOf }: AuditLineProps) {
  const { admin, groups: words } = useStrings()
  const { kind, result, at, count, lastAt, actorId, credential, subjectId, address, members } = entry
  const namesOf = (ids: readonly string[], all: number) => {
    const names = ids.slice(0, maxNames).map(nameOf)
    return [...names, ...(all > names.length ? [words.more(all - names.length)] : [])].join(', ')
  }
  const target = kind.startsWith('group_') ? groupOf(subjectId) : isOfUser(kind) && subjectId !== actorId ? nameOf(subjectId) : ''
  return (
    <tr>
      <td className="cell">
        <time dateTime={lastAt}>{formatTimestamp(lastAt)}</time>
        {count > 1 ? <div className="facts">{`${admin.times(count)}, ${admin.since(formatTimestamp(at))}`}</div> : null}
      </td>
      <td className="cell">{admin.events[kind]}</td>
      <td>
        <span className={result === 'ok' ? 'badge' : 'badge is-warning'}>{admin.results[result]}</span>
      </td>
      <td className="cell">
        {nameOf(actorId) ?? admin.unknownUser}
        {admin.credentials[credential] ? <div className="facts">{admin.credentials[credential]}</div> : null}
      </td>
      <td className="cell">
        {target}
        {members && members.addedCount > 0 ? (
          <div className="facts">{words.audited.added(namesOf(members.added, members.addedCount))}</div>
        ) : null}
        {members && members.removedCount > 0 ? (
          <div className="facts">{words.audited.removed(namesOf(members.removed, members.removedCount))}</div>
        ) : null}
      </td>
      <td className="cell mono">{address}</td>
    </tr>
  )
}
