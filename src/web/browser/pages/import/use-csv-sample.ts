import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error'
import { useStrings } from '../../language'
import { readCsvSample } from './csv-sample'
import type { FileOptions } from './file-options'

export const fileKey = ({ name, size, lastModified }: File): string => `${name} ${size} ${lastModified}`

/** The previous preview stays visible until the new options are applied. */
export function useCsvSample(file: File, { delimiter, encoding, sheet, headerRow }: FileOptions) {
  const { transfer } = useStrings()
  return useQuery({
    queryKey: ['csv-sample', fileKey(file), delimiter, encoding, sheet, headerRow],
    queryFn: () =>
      readCsvSample(file, { delimiter, encoding, sheet, headerRow }).catch((error) => {
        throw new ApiError(400, { code: 'invalid_request', message: transfer.unreadable(String(error.message)) }, 0)
      }),
    retry: false,
    placeholderData: (before) => before,
    gcTime: 0,
  })
}
