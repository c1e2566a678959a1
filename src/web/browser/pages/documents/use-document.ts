import { useQuery } from '@tanstack/react-query'
import type { MissingCharacters } from '../../../../documents/render/missing-characters'
import { toApiError } from '../../api/api-error'
import { send } from '../../api/client'
import { maxUrlLength } from '../../api/urls'

/**
 * A rendered document, and the name of its file. `text` is set for text formats; `missing` are characters that no font
 * has. `address` is null if it is too long for a URL.
 */
export type DisplayedDocument = { name: string; file: Blob; text: string | null; address: string | null; missing: MissingCharacters[] }

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
      const name = fileNameIn(response.headers.get('content-disposition') ?? '')
      return {
        name,
        file,
        text: /^text\/(plain|markdown)/.test(file.type) ? await file.text() : null,
        address: isLong ? null : address,
        missing,
      }
    },
  })

/** RFC 6266: only the extended form contains all characters. */
const fileNameIn = (disposition: string): string => {
  const [, extended] = /filename\*=UTF-8''(.+)/.exec(disposition) ?? []
  return extended ? decodeURIComponent(extended) : (/filename="(.*?)"/.exec(disposition)?.[1] ?? '')
}

function sendAsForm(address: string): Promise<Response> {
  const [path = '', body] = address.split('?')
  return send(path, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body })
}
