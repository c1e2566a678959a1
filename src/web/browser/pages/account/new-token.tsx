import { Button, MultiSelect, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Scope } from '../../../../auth/model'
import { api, take } from '../../api/client'
import { queryClient, tablesQuery, tokensQuery } from '../../api/queries'
import { Copyable } from '../../components/copy-field'
import { CancelButton, Dialog } from '../../components/dialog'
import { TextField } from '../../components/fields'
import { Form, type Values } from '../../components/form'
import { useStrings } from '../../language'
import { quotedAddress } from '../table-tools/code-lines'

type Made = { name: string; token: string; tables: string[] | null }

/** Makes a token, and shows its value once. */
export function NewToken({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { tokens } = useStrings()
  const [made, setMade] = useState<Made | null>(null)
  const leave = () => {
    close()
    setMade(null)
  }
  return (
    <Dialog title={made ? tokens.createdTitle(made.name) : tokens.createTitle} isOpen={isOpen} close={leave} size="lg">
      {made ? <MadeToken made={made} close={leave} /> : <TokenForm close={leave} take={setMade} />}
    </Dialog>
  )
}

const lifetimes = ['30', '90', '365', ''] as const
const dayMs = 86_400_000

function TokenForm({ close, take: show }: { close: () => void; take: (made: Made) => void }) {
  const { tokens: words } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const submit = async ({ name = '', scope, chosen = '', days }: Values) => {
    const made = await take(
      api.auth.tokens.post({
        name,
        scope: scope as Scope,
        ...(chosen ? { tables: chosen.split(',') } : {}),
        ...(days ? { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() } : {}),
      }),
    )
    await queryClient.invalidateQueries(tokensQuery)
    show(made)
  }
  const lifetimeText = (days: string) => (days === '' ? words.neverExpires : days === '365' ? words.year : words.days(Number(days)))
  return (
    <Form action={words.createAction} submit={submit} beside={<CancelButton close={close} />}>
      <TextField
        name="name"
        label={words.name}
        description={words.nameHelp}
        required
        withAsterisk={false}
        maxLength={100}
        autoComplete="off"
        data-autofocus
      />
      <div className="two">
        <NativeSelect
          name="scope"
          label={words.permissions}
          defaultValue="write"
          data={(['read', 'write', 'full'] as const).map((value) => ({ value, label: words.scopes[value] }))}
        />
        <NativeSelect
          name="days"
          label={words.lifetime}
          defaultValue="90"
          data={lifetimes.map((value) => ({ value, label: lifetimeText(value) }))}
        />
      </div>
      <MultiSelect
        name="chosen"
        label={words.tables}
        description={words.tablesHelp}
        placeholder={words.allTables}
        searchable
        data={tables.map(({ id, name, schema }) => ({ value: id, label: schema === 'data' ? name : `${schema}.${name}` }))}
      />
    </Form>
  )
}

function MadeToken({ made, close }: { made: Made; close: () => void }) {
  const { tokens: words } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const example = tables.find(({ id }) => !made.tables || made.tables.includes(id))
  const url = `${location.origin}/api/v1/tables${example ? `/${example.id}/records?limit=5` : ''}`
  return (
    <div className="form">
      <p>{words.copyNow}</p>
      <Copyable label={words.value} value={made.token} />
      <Copyable label={words.tryIt} value={`curl -H 'Authorization: Bearer ${made.token}' ${quotedAddress(url)}`} />
      <Button onClick={close}>{words.done}</Button>
    </div>
  )
}
