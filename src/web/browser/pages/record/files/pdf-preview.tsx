import { ActionIcon, Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { FileView } from '../../../../../attachments/model'
import { toApiError, toErrorMessage } from '../../../api/api-error'
import { send } from '../../../api/client'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'

/** The delay after the last key before a page is requested. */
const pagingDelayMs = 150

/** The highest page number that can be requested. A PDF may claim to have any number of pages. */
const maxPages = 999_999

type Page = { picture: Blob; number: number; pageCount: number }

async function readPage({ url }: FileView, number: number, signal: AbortSignal): Promise<Page> {
  const response = await send(`${url}?size=large&page=${number}`, { signal })
  if (!response.ok) throw await toApiError(response)
  const pageCount = Math.min(Number(response.headers.get('rowhouse-page-count')), maxPages)
  return { picture: await response.blob(), number, pageCount }
}

/** The pages of a PDF, rendered by the service. If it cannot render them, shows the reason and `fallback`. */
export function PdfPreview({ file, fallback }: { file: FileView; fallback: ReactNode }) {
  const strings = useStrings()
  const { record, shell } = strings
  const [number, setNumber] = useState(1)
  const [pageCount, setPageCount] = useState(1)
  // While a key is held down, the pages in between need not be requested.
  const [requested] = useDebouncedValue(number, pagingDelayMs)
  const query = useQuery({
    queryKey: ['pdf-page', file.id, requested],
    queryFn: ({ signal }) => readPage(file, requested, signal),
    placeholderData: keepPreviousData,
    // The bytes of a file never change.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const { data: page, error } = query
  if (page && page.pageCount !== pageCount) setPageCount(page.pageCount)
  const go = (steps: number) => setNumber((now) => Math.min(pageCount, Math.max(1, now + steps)))
  usePageKeys(pageCount, go)
  return (
    <div className="light-box-pdf" aria-busy={query.isPlaceholderData || requested !== number}>
      {pageCount > 1 ? (
        <div className="light-box-bar">
          <PageButton label={record.previousPage} icon="up" isDisabled={number === 1} onClick={() => go(-1)} />
          <span aria-live="polite">{record.page(number, pageCount)}</span>
          <PageButton label={record.nextPage} icon="chevron" isDisabled={number === pageCount} onClick={() => go(1)} />
        </div>
      ) : null}
      {page ? (
        <PagePicture picture={page.picture} label={`${file.name}: ${record.page(page.number, pageCount)}`} />
      ) : error ? (
        <div className="light-box-other">
          <p role="alert">{toErrorMessage(error, strings)}</p>
          <Button variant="default" onClick={() => void query.refetch()}>
            {shell.tryAgain}
          </Button>
          {fallback}
        </div>
      ) : (
        <p className="soft">{shell.loading}</p>
      )}
    </div>
  )
}

/** Page Up and Page Down, wherever the focus is: the arrow keys switch between files and scroll. */
function usePageKeys(pageCount: number, go: (steps: number) => void) {
  const current = useRef(go)
  current.current = go
  const hasOthers = pageCount > 1
  useEffect(() => {
    if (!hasOthers) return
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return
      const steps = { PageUp: -1, PageDown: 1 }[event.key]
      if (!steps) return
      event.preventDefault()
      current.current(steps)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [hasOthers])
}

type PageButtonProps = { label: string; icon: 'up' | 'chevron'; isDisabled: boolean; onClick: () => void }

/** Keeps the focus on the first and the last page, where a `disabled` button would lose it. */
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

/** Each page starts at its top. */
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a page is scrolled with the keyboard
    <div className="light-box-page" ref={frame} tabIndex={0}>
      {src ? <img src={src} alt={label} /> : null}
    </div>
  )
}
