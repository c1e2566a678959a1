import { useQuery } from '@tanstack/react-query'
import type { MissingCharacters } from '../../../../documents/render/missing-characters'
import { toApiError } from '../../api/api-error'
import { send } from '../../api/client'
import { maxUrlLength } from '../../api/urls'

/**
 * A rendered document. `text` is set for text formats; `missing` are characters that no font has. `address` is null if
 * it is too long for a URL.
 */
export type DisplayedDocument = { file: Blob; text: string | null; address: string | null; missing: MissingCharacters[] }

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
      const isLong = address!.length > maxUrlLength
      const response = await (isLong ? sendAsForm(address!) : send(address!))
      if (!response.ok) throw await toApiError(response)
      const file = await response.blob()
      const missing = JSON.parse(decodeURIComponent(response.headers.get('rowhouse-missing-characters') ?? '[]')) as MissingCharacters[]
      return { file, text: /^text\/(plain|markdown)/.test(file.type) ? await file.text() : null, address: isLong ? null : address, missing }
    },
  })

function sendAsForm(address: string): Promise<Response> {
  const [path = '', body] = address.split('?')
  return send(path, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body })
}
