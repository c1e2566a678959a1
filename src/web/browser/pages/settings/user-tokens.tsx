import { queryOptions, useQuery } from '@tanstack/react-query'
import type { User } from '../../../../auth/model'
import { api, unwrap } from '../../api/client'
import { queryClient } from '../../api/queries'
import { Dialog } from '../../components/dialog'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { TokenList } from '../account/tokens'

const userTokensQuery = (id: string) =>
  queryOptions({ queryKey: ['user-tokens', id], queryFn: async () => (await unwrap(api.users({ id }).tokens.get())).tokens })

/** The API tokens of a user, for an administrator to revoke. */
export function UserTokensDialog({ user, isOpen, close }: { user: User; isOpen: boolean; close: () => void }) {
  const { admin } = useStrings()
  return (
    <Dialog title={admin.tokensOf(user.name || user.email)} isOpen={isOpen} close={close} size="lg">
      <UserTokens id={user.id} />
    </Dialog>
  )
}

function UserTokens({ id }: { id: string }) {
  const { tokens: words } = useStrings()
  const query = useQuery(userTokensQuery(id))
  return (
    <Await query={query} lines={3}>
      {(tokens) =>
        tokens.length === 0 ? (
          <p className="soft">{words.none}</p>
        ) : (
          <TokenList
            tokens={tokens}
            revoke={async ({ id: tokenId }) => {
              await unwrap(api.users({ id }).tokens({ tokenId }).delete())
              await queryClient.invalidateQueries(userTokensQuery(id))
            }}
          />
        )
      }
    </Await>
  )
}
