import { useQuery } from '@tanstack/react-query'
import type { MissingCharacters } from '../../../../documents/render/missing-characters'
import { toApiError } from '../../api/api-error'
import { send } from '../../api/client'

/** A rendered document. `text` is set for text formats; `missing` are characters that no font has. */
export type DisplayedDocument = { file: Blob; text: string | null; address: string; missing: MissingCharacters[] }

/** @param address null while required input is missing */
export const useDocument = (address: string | null) =>
  useQuery({
    queryKey: ['document', address],
    enabled: address !== null,
    // Its records may have changed since.
    gcTime: 0,
    retry: false,
    placeholderData: (before) => before,
    refetchOnWindowFocus: false,
    queryFn: async (): Promise<DisplayedDocument> => {
      const response = await send(address!)
      if (!response.ok) throw await toApiError(response)
      const file = await response.blob()
      const missing = JSON.parse(decodeURIComponent(response.headers.get('rowhouse-missing-characters') ?? '[]')) as MissingCharacters[]
      return { file, text: /^text\/(plain|markdown)/.test(file.type) ? await file.text() : null, address: address!, missing }
    },
  })
