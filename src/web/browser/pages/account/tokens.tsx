import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api/client'
import { queryClient, tokensQuery } from '../../api/queries'
import { Icon } from '../../components/icon'
import { Panel } from '../../components/panel'
import { Await, EmptyState } from '../../components/query-state'
import { NewTokenForm } from '../../components/tokens/new-token'
import { TokenList } from '../../components/tokens/token-list'
import { useStrings } from '../../language'

/** The user's API tokens: create one, see when each was last used, revoke it. */
export function Tokens() {
  const { tokens: words } = useStrings()
  const query = useQuery(tokensQuery)
  const [isCreating, setCreating] = useState(false)
  const button = (
    <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  )
  return (
    <Panel title={words.title} text={words.purpose} action={button}>
      <Await query={query}>
        {(tokens) =>
          tokens.length === 0 ? (
            <EmptyState icon="key" title={words.none} text={words.noneText} />
          ) : (
            <TokenList
              tokens={tokens}
              revoke={async ({ id }) => {
                await unwrap(api.auth.tokens({ id }).delete())
                await queryClient.invalidateQueries(tokensQuery)
              }}
            />
          )
        }
      </Await>
      <NewTokenForm
        isOpen={isCreating}
        close={() => setCreating(false)}
        create={async (token) => {
          const created = await unwrap(api.auth.tokens.post(token))
          await queryClient.invalidateQueries(tokensQuery)
          return created
        }}
      />
    </Panel>
  )
}
