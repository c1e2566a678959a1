import { useQuery } from '@tanstack/react-query'
import { readBeginning } from './csv-sample'
import type { FileOptions } from './file-options'

export const keyOf = ({ name, size, lastModified }: File): string => `${name} ${size} ${lastModified}`

/** What is shown stays until what was chosen instead has been read. */
export const useBeginning = (file: File, { delimiter, encoding }: FileOptions) =>
  useQuery({
    queryKey: ['beginning', keyOf(file), delimiter, encoding],
    queryFn: () => readBeginning(file, { delimiter, encoding }),
    placeholderData: (before) => before,
    gcTime: 0,
  })
