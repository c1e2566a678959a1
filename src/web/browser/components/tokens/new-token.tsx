import { Button, MultiSelect, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewToken, Scope } from '../../../../auth/model'
import { tablesQuery } from '../../api/queries'
import { useStrings } from '../../language'
import { quotedUrl } from '../code/code-lines'
import { CopyField } from '../code/copy-field'
import { CancelButton, Dialog } from '../dialog'
import { TextField } from '../form/fields'
import { Form, type FormValues } from '../form/form'

type CreatedTokenData = { name: string; token: string; tables: string[] | null }

type CreateToken = (token: NewToken) => Promise<CreatedTokenData>

type NewTokenFormProps = { isOpen: boolean; close: () => void; create: CreateToken }

/** Creates a token and shows its value once. @param create creates it and fetches the list again */
export function NewTokenForm({ isOpen, close, create }: NewTokenFormProps) {
  const { tokens } = useStrings()
  const [created, setMade] = useState<CreatedTokenData | null>(null)
  const leave = () => {
    close()
    setMade(null)
  }
  return (
    <Dialog
      title={created ? tokens.createdTitle(created.name) : tokens.createTitle}
      isOpen={isOpen}
      close={leave}
      size="lg"
      isShownOnce={created !== null}
    >
      {created ? <CreatedToken created={created} close={leave} /> : <TokenForm close={leave} create={create} take={setMade} />}
    </Dialog>
  )
}

const lifetimes = ['30', '90', '365', ''] as const
const dayMs = 86_400_000

type TokenFormProps = { close: () => void; create: CreateToken; take: (created: CreatedTokenData) => void }

function TokenForm({ close, create, take: show }: TokenFormProps) {
  const { tokens: words } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const submit = async ({ name = '', scope, chosen = '', days }: FormValues) => {
    const created = await create({
      name,
      scope: scope as Scope,
      ...(chosen ? { tables: chosen.split(',') } : {}),
      ...(days ? { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() } : {}),
    })
    show(created)
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
        selectFirstOptionOnChange
        data={tables.map(({ id, name, schema }) => ({ value: id, label: schema === 'data' ? name : `${schema}.${name}` }))}
      />
    </Form>
  )
}

function CreatedToken({ created, close }: { created: CreatedTokenData; close: () => void }) {
  const { tokens: words } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const example = tables.find(({ id }) => !created.tables || created.tables.includes(id))
  const url = `${location.origin}/api/v1/tables${example ? `/${example.id}/records?limit=5` : ''}`
  return (
    <div className="form">
      <p>{words.copyNow}</p>
      <CopyField label={words.value} value={created.token} />
      <CopyField label={words.tryIt} value={`curl -H 'Authorization: Bearer ${created.token}' ${quotedUrl(url)}`} />
      <Button onClick={close}>{words.done}</Button>
    </div>
  )
}
