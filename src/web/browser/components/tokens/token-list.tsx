import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Token } from '../../../../auth/model'
import { useStrings } from '../../language'
import { formatAgo, formatDate } from '../../values/format'
import { ConfirmDialog } from '../confirm-dialog'

type RevokeToken = (token: Token) => Promise<void>

/** @param revoke revokes a token and fetches the list again */
export const TokenList = ({ tokens, revoke }: { tokens: readonly Token[]; revoke: RevokeToken }) => (
  <ul className="rows">
    {tokens.map((token) => (
      <TokenRow key={token.id} token={token} revoke={revoke} />
    ))}
  </ul>
)

function TokenRow({ token, revoke }: { token: Token; revoke: RevokeToken }) {
  const { tokens: words } = useStrings()
  const [isAsking, setAsking] = useState(false)
  return (
    <li>
      <div>
        <h3>
          {token.name} <TokenBadges token={token} />
        </h3>
        <p className="facts">{useFacts(token).join(' · ')}</p>
      </div>
      <Button variant="default" size="xs" aria-label={words.revokeOf(token.name)} onClick={() => setAsking(true)}>
        {words.revoke}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        close={() => setAsking(false)}
        title={words.revokeTitle(token.name)}
        text={words.revokeText}
        action={words.revokeAction}
        onConfirm={() => revoke(token)}
      />
    </li>
  )
}

function TokenBadges({ token }: { token: Token }) {
  const { tokens: words } = useStrings()
  const isExpired = token.expiresAt !== null && Date.parse(token.expiresAt) < Date.now()
  return (
    <>
      {isExpired ? <span className="badge is-warning">{words.expired}</span> : null}{' '}
      {token.lastUsedInUrlAt ? (
        <span className="badge is-warning" title={words.usedInUrlWarning}>
          {words.usedInUrl(formatDate(token.lastUsedInUrlAt))}
        </span>
      ) : null}
    </>
  )
}

function useFacts({ scope, tables, createdAt, lastUsedAt, expiresAt }: Token): string[] {
  const { tokens: words } = useStrings()
  return [
    words.scopes[scope],
    ...(tables ? [words.tableCount(tables.length)] : []),
    words.created(formatDate(createdAt)),
    lastUsedAt ? words.lastUsed(formatAgo(lastUsedAt, Date.now())) : words.neverUsed,
    expiresAt ? words.until(formatDate(expiresAt)) : words.noExpiry,
  ]
}
