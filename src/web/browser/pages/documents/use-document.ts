import { useQuery } from '@tanstack/react-query'
import { refusalOf } from '../../api/api-error'
import { send } from '../../api/client'

/** A document as it was made. `text` is there for what is read as text. */
export type Made = { file: Blob; text: string | null; address: string }

/** @param address null while something is missing */
export const useDocument = (address: string | null) =>
  useQuery({
    queryKey: ['document', address],
    enabled: address !== null,
    // It is made of records, which may have changed.
    gcTime: 0,
    retry: false,
    placeholderData: (before) => before,
    refetchOnWindowFocus: false,
    queryFn: async (): Promise<Made> => {
      const response = await send(address!)
      if (!response.ok) throw await refusalOf(response)
      const file = await response.blob()
      return { file, text: /^text\/(plain|markdown)/.test(file.type) ? await file.text() : null, address: address! }
    },
  })
