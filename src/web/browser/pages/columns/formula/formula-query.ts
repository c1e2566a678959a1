import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { TableView } from '../../../../../tables/model'
import { queryClient } from '../../../api/queries'
import { fetchFormulaPreview } from '../../../records/values/column-data'
import { type ColumnDraft, formulaOption, withDisplay } from '../column-draft'

const typingDelayMs = 400

const previewQuery = (table: TableView, option: 'formula' | 'expression', text: string) =>
  queryOptions({
    queryKey: ['formula-preview', table.id, option, text],
    queryFn: () => fetchFormulaPreview(table, { [option]: text }),
    enabled: text !== '',
    retry: false,
  })

/** The values of a formula in the first records, while it is typed. */
export function useFormulaPreview(table: TableView, draft: ColumnDraft) {
  const option = formulaOption(draft)
  const [text] = useDebouncedValue(draft.options[option] ?? '', typingDelayMs)
  const preview = useQuery({ ...previewQuery(table, option, text), placeholderData: keepPreviousData })
  const isCurrent = text === (draft.options[option] ?? '') && !preview.isPlaceholderData && !preview.isFetching
  return { preview, isCurrent }
}

/** The draft of a new column with the display that its preview proposes, even if the preview has not arrived yet. */
export async function withProposedDisplay(table: TableView, draft: ColumnDraft): Promise<ColumnDraft> {
  const option = formulaOption(draft)
  const text = draft.options[option]
  if (draft.type !== 'formula' || !text) return draft
  // A formula with a problem is refused when the column is created.
  const preview = await queryClient.fetchQuery(previewQuery(table, option, text)).catch(() => null)
  return withDisplay(draft, preview?.proposed)
}
