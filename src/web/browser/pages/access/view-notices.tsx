import type { AccessNotice } from '../../../../access/model'
import { useStrings } from '../../language'

const maxShown = 20

/** Views that show records which the rules hide in the underlying tables. */
export function ViewNotices({ notices }: { notices: readonly AccessNotice[] }) {
  const { access } = useStrings()
  if (notices.length === 0) return null
  return (
    <section className="access-note" aria-label={access.viewNotices}>
      <strong>{access.viewNotices}</strong>
      <ul>
        {notices.slice(0, maxShown).map(({ view, table }) => (
          <li key={`${view} ${table}`}>{access.viewNotice(view, table)}</li>
        ))}
      </ul>
      {notices.length > maxShown ? access.andOthers(notices.length - maxShown) : null}
    </section>
  )
}
