import { UnstyledButton } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { toErrorMessage } from '../../api/api-error'
import { api, unwrap } from '../../api/client'
import { queryClient, tablesQuery } from '../../api/queries'
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
      // The sample table that has the most to explore.
      const first = tables.find(({ name }) => name === 'products') ?? tables[0]
      if (first) await navigate({ to: '/tables/$tableId', params: { tableId: first.id } })
      await queryClient.invalidateQueries(tablesQuery)
    },
  })
  return (
    <>
      <p className="soft">{home.welcomeText}</p>
      <div className="offers">
        <Offer picture="empty" title={home.emptyTable} text={home.emptyTableText} choose={() => setCreating(true)} />
        <Offer picture="file" title={home.fromCsv} text={home.fromCsvText} choose={() => void navigate({ to: '/tables/import' })} />
        <Offer picture="sample" title={home.sample} text={home.sampleText} choose={() => sample.mutate()} isBusy={sample.isPending} />
      </div>
      <p role="alert" className="alert">
        {sample.error ? toErrorMessage(sample.error, strings) : ''}
      </p>
      <NewTableForm isOpen={isCreating} close={() => setCreating(false)} />
    </>
  )
}

/** A line drawing for each offer. */
const pictures = {
  empty: {
    lines: 'M20 13h120v48H20zM20 25h120M60 13v48M100 13v48M20 37h120M20 49h120',
    bars: 'M28 19h16M68 19h22M108 19h14',
    accent: 'M20 25h40v12H20z',
    accentWidth: 2,
  },
  file: {
    lines: 'M22 11h24l9 9v43H22zM46 11v9h9M92 14h52v46H92zM92 26h52M118 14v46M92 38h52M92 49h52',
    bars: 'M29 29h19M29 37h14M29 45h19M29 53h10M98 20h11M124 20h11M98 32h14M124 32h9M98 43h10M124 43h13M98 55h13M124 55h8',
    accent: 'M64 37h18M76 31l6 6-6 6',
    accentWidth: 2,
  },
  sample: {
    lines: 'M20 13h120v48H20zM20 25h120M60 13v48M100 13v48M20 37h120M20 49h120',
    bars: 'M28 19h16M68 19h22M108 19h14M28 31h24M28 43h18M28 55h22M118 31h14M112 43h20M122 55h10',
    accent: 'M70 31h17M70 43h11M70 55h20',
    accentWidth: 6,
  },
}

const Picture = ({ name }: { name: keyof typeof pictures }) => {
  const { lines, bars, accent, accentWidth } = pictures[name]
  return (
    <svg className="offer-picture" viewBox="0 0 160 74" fill="none" strokeLinecap="round" aria-hidden="true" focusable="false">
      <path className="is-line" d={lines} />
      <path className="is-bar" d={bars} />
      <path className="is-accent" d={accent} strokeWidth={accentWidth} />
    </svg>
  )
}

type OfferProps = { picture: keyof typeof pictures; title: string; text: string; choose: () => void; isBusy?: boolean }

function Offer({ picture, title, text, choose, isBusy = false }: OfferProps) {
  return (
    <UnstyledButton className="offer" onClick={isBusy ? undefined : choose} aria-busy={isBusy}>
      <Picture name={picture} />
      <span className="offer-title">{title}</span>
      <span className="soft">{text}</span>
    </UnstyledButton>
  )
}
