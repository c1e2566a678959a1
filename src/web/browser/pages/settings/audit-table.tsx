import { useQuery } from '@tanstack/react-query'
import type { AuditEntry } from '../../../../auth/audit/audit-log'
import { useStrings } from '../../language'
import { formatTimestamp } from '../../values/format'
import { usersQuery } from './users-query'

export function AuditTable({ entries }: { entries: AuditEntry[] }) {
  const { admin } = useStrings()
  const { data: users } = useQuery(usersQuery)
  const nameOf = (id: string | null) => (id === null ? null : (users?.find((user) => user.id === id)?.email ?? admin.deleted))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled has to be reachable by keyboard
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
            <AuditLine key={entry.id} entry={entry} nameOf={nameOf} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Token and session events reference an id that is not a user's. */
const isOfUser = (kind: AuditEntry['kind']) => /^(user_|login)/.test(kind)

function AuditLine({ entry, nameOf }: { entry: AuditEntry; nameOf: (id: string | null) => string | null }) {
  const { admin } = useStrings()
  const { kind, result, at, count, lastAt, actorId, credential, subjectId, address } = entry
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
      <td className="cell">{subjectId === actorId || !isOfUser(kind) ? '' : nameOf(subjectId)}</td>
      <td className="cell mono">{address}</td>
    </tr>
  )
}
