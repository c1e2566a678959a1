import { ActionIcon } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { FileView } from '../../../../../attachments/model'
import { toApiError, toErrorMessage } from '../../../api/api-error'
import { send } from '../../../api/client'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'

type Page = { picture: Blob; number: number; pageCount: number }

async function readPage({ url }: FileView, number: number, signal: AbortSignal): Promise<Page> {
  const response = await send(`${url}?size=large&page=${number}`, { signal })
  if (!response.ok) throw await toApiError(response)
  return { picture: await response.blob(), number, pageCount: Number(response.headers.get('rowhouse-page-count')) }
}

/** The pages of a PDF, which the service draws. `fallback` follows the reason if it cannot. */
export function PdfPreview({ file, fallback }: { file: FileView; fallback: ReactNode }) {
  const strings = useStrings()
  const { record, shell } = strings
  const [number, setNumber] = useState(1)
  const { data: page, error } = useQuery({
    queryKey: ['pdf-page', file.id, number],
    queryFn: ({ signal }) => readPage(file, number, signal),
    placeholderData: keepPreviousData,
  })
  const pageCount = page?.pageCount ?? 1
  const go = (steps: number) => setNumber((now) => Math.min(pageCount, Math.max(1, now + steps)))
  usePageKeys(go)
  if (error) {
    return (
      <div className="light-box-other">
        <p role="alert">{toErrorMessage(error, strings)}</p>
        {fallback}
      </div>
    )
  }
  if (!page) return <p className="soft">{shell.loading}</p>
  return (
    <div className="light-box-pdf">
      {pageCount > 1 ? (
        <div className="light-box-bar">
          <PageButton label={record.previousPage} icon="up" isDisabled={number === 1} onClick={() => go(-1)} />
          <span aria-live="polite">{record.page(number, pageCount)}</span>
          <PageButton label={record.nextPage} icon="chevron" isDisabled={number === pageCount} onClick={() => go(1)} />
        </div>
      ) : null}
      <PagePicture picture={page.picture} label={`${file.name}: ${record.page(page.number, pageCount)}`} />
    </div>
  )
}

/** Page Up and Page Down, wherever the focus is: the arrow keys switch between files and scroll. */
function usePageKeys(go: (steps: number) => void) {
  const current = useRef(go)
  current.current = go
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const steps = { PageUp: -1, PageDown: 1 }[event.key]
      if (!steps) return
      event.preventDefault()
      current.current(steps)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

type PageButtonProps = { label: string; icon: 'up' | 'chevron'; isDisabled: boolean; onClick: () => void }

/** Keeps the focus on the first and the last page, where `disabled` would lose it. */
const PageButton = ({ label, icon, isDisabled, onClick }: PageButtonProps) => (
  <ActionIcon
    variant="default"
    size="lg"
    aria-label={label}
    aria-disabled={isDisabled}
    data-disabled={isDisabled || undefined}
    onClick={onClick}
  >
    <Icon name={icon} />
  </ActionIcon>
)

/** Begins at the top of each page. */
function PagePicture({ picture, label }: { picture: Blob; label: string }) {
  const frame = useRef<HTMLDivElement>(null)
  const [src, setSrc] = useState<string>()
  useEffect(() => {
    const url = URL.createObjectURL(picture)
    setSrc(url)
    frame.current?.scrollTo(0, 0)
    return () => URL.revokeObjectURL(url)
  }, [picture])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a page is scrolled by keys
    <div className="light-box-page" ref={frame} tabIndex={0}>
      {src ? <img src={src} alt={label} /> : null}
    </div>
  )
}
