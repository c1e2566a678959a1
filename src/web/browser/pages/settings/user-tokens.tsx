import { Button } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewToken, User } from '../../../../auth/model'
import { api, unwrap } from '../../api/client'
import { queryClient } from '../../api/queries'
import { userTitle } from '../../api/users-query'
import { Dialog } from '../../components/dialog'
import { Icon } from '../../components/icon'
import { Await } from '../../components/query-state'
import { NewTokenForm } from '../../components/tokens/new-token'
import { TokenList } from '../../components/tokens/token-list'
import { useStrings } from '../../language'

const userTokensQuery = (id: string) =>
  queryOptions({ queryKey: ['user-tokens', id], queryFn: async () => (await unwrap(api.users({ id }).tokens.get())).tokens })

type UserTokensProps = { user: User | undefined; isOpen: boolean; close: () => void }

/**
 * The API tokens of a user, for an administrator to revoke; tokens of a service user are also created here. The form
 * for a new token is not nested in this dialog: Escape would close the dialog, and with it the new token, which is
 * shown only once.
 */
export function UserTokensDialog({ user, isOpen, close }: UserTokensProps) {
  const { admin } = useStrings()
  const [isCreating, setCreating] = useState(false)
  if (!user) return null
  const create = async (token: NewToken) => {
    const created = await unwrap(api.users({ id: user.id }).tokens.post(token))
    await queryClient.invalidateQueries(userTokensQuery(user.id))
    return created
  }
  return (
    <>
      <Dialog title={admin.tokensOf(userTitle(user))} isOpen={isOpen && !isCreating} close={close} size="lg">
        <UserTokens user={user} openForm={() => setCreating(true)} />
      </Dialog>
      <NewTokenForm isOpen={isOpen && isCreating} close={() => setCreating(false)} create={create} />
    </>
  )
}

function UserTokens({ user: { id, kind }, openForm }: { user: User; openForm: () => void }) {
  const { groups, tokens: words } = useStrings()
  const query = useQuery(userTokensQuery(id))
  const isService = kind === 'service'
  return (
    <div className="stack">
      <Await query={query} lines={3}>
        {(tokens) =>
          tokens.length === 0 ? (
            <p className="soft">{isService ? `${words.none}. ${groups.noTokensText}` : words.none}</p>
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
      {isService ? (
        <div>
          <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={openForm}>
            {words.create}
          </Button>
        </div>
      ) : null}
    </div>
  )
}
