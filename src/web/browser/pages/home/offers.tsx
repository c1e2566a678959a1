import { UnstyledButton } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { toErrorMessage } from '../../api/api-error'
import { api, unwrap } from '../../api/client'
import { queryClient, tablesQuery } from '../../api/queries'
import { Icon, type IconName } from '../../components/icon'
import { NewTableForm } from '../../components/new-table'
import { useStrings } from '../../language'

/** Three ways to create the first table, for administrators. */
export function Offers() {
  const strings = useStrings()
  const { home } = strings
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
  const sample = useMutation({
    mutationFn: async () => unwrap(api['sample-data'].post()),
    onSuccess: async ({ tables }) => {
      // The table with the most to explore.
      const first = tables.find(({ name }) => name === 'products') ?? tables[0]
      if (first) await navigate({ to: '/tables/$tableId', params: { tableId: first.id } })
      await queryClient.invalidateQueries(tablesQuery)
    },
  })
  return (
    <>
      <p className="soft">{home.welcomeText}</p>
      <div className="offers">
        <Offer icon="plus" title={home.emptyTable} text={home.emptyTableText} choose={() => setCreating(true)} />
        <Offer icon="file" title={home.fromCsv} text={home.fromCsvText} choose={() => void navigate({ to: '/tables/import' })} />
        <Offer icon="spark" title={home.sample} text={home.sampleText} choose={() => sample.mutate()} isBusy={sample.isPending} />
      </div>
      <p role="alert" className="alert">
        {sample.error ? toErrorMessage(sample.error, strings) : ''}
      </p>
      <NewTableForm isOpen={isCreating} close={() => setCreating(false)} />
    </>
  )
}

type OfferProps = { icon: IconName; title: string; text: string; choose: () => void; isBusy?: boolean }

function Offer({ icon, title, text, choose, isBusy = false }: OfferProps) {
  return (
    <UnstyledButton className="offer" onClick={isBusy ? undefined : choose} aria-busy={isBusy}>
      <span className="state-icon">
        <Icon name={icon} size={20} />
      </span>
      <span className="offer-title">{title}</span>
      <span className="soft">{text}</span>
    </UnstyledButton>
  )
}
