import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ShareLink } from '../../../../links/model'
import { api, unwrap } from '../../api/client'
import { useStrings } from '../../language'
import { formatAgo, formatTimestamp } from '../../values/format'
import { ConfirmDialog } from '../confirm-dialog'
import { Panel } from '../panel'
import { Await, EmptyState } from '../query-state'
import { invalidateLinks, linksQuery } from './links-query'

/** The user's share links: what each shows, how often it was opened, revoke it. */
export function Links() {
  const { links: words } = useStrings()
  const query = useQuery(linksQuery({}))
  return (
    <Panel title={words.title} text={words.purpose}>
      <Await query={query}>
        {(links) =>
          links.length === 0 ? <EmptyState icon="share" title={words.none} text={words.noneText} /> : <LinkList links={links} />
        }
      </Await>
    </Panel>
  )
}

export const LinkList = ({ links }: { links: readonly ShareLink[] }) => (
  <ul className="rows">
    {links.map((link) => (
      <LinkRow key={link.id} link={link} />
    ))}
  </ul>
)

function LinkRow({ link }: { link: ShareLink }) {
  const { links: words } = useStrings()
  const [isAsking, setAsking] = useState(false)
  const name = useName(link)
  return (
    <li>
      <div>
        <h3>
          {name} {link.state === 'active' ? null : <span className="badge is-warning">{words.states[link.state]}</span>}
        </h3>
        <p className="facts">{useFacts(link).join(' · ')}</p>
      </div>
      {link.state === 'revoked' ? null : (
        <Button variant="default" size="xs" aria-label={words.revokeOf(name)} onClick={() => setAsking(true)}>
          {words.revoke}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        close={() => setAsking(false)}
        title={words.revokeTitle}
        text={words.revokeText}
        action={words.revokeAction}
        onConfirm={async () => {
          await unwrap(api.links({ id: link.id }).delete())
          await invalidateLinks()
        }}
      />
    </li>
  )
}

function useName({ kind, table, pk, document }: ShareLink): string {
  const { links: words } = useStrings()
  const place = [table ?? document?.template, pk].filter(Boolean).join(' ')
  return `${words.kinds[kind]}: ${place}`
}

function useFacts({ createdAt, expiresAt, hasPassword, maxOpens, opens, lastOpenedAt }: ShareLink): string[] {
  const { links: words } = useStrings()
  return [
    lastOpenedAt ? words.opened(opens, formatAgo(lastOpenedAt, Date.now())) : words.neverOpened,
    ...(maxOpens === null ? [] : [words.atMost(maxOpens)]),
    ...(hasPassword ? [words.withPassword] : []),
    expiresAt ? words.until(formatTimestamp(expiresAt)) : words.noExpiry,
    words.created(formatTimestamp(createdAt)),
  ]
}
