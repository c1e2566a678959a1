import { useQuery } from '@tanstack/react-query'
import { readCsvSample } from './csv-sample'
import type { FileOptions } from './file-options'

export const fileKey = ({ name, size, lastModified }: File): string => `${name} ${size} ${lastModified}`

/** The previous preview stays visible until the new options are applied. */
export const useCsvSample = (file: File, { delimiter, encoding }: FileOptions) =>
  useQuery({
    queryKey: ['csv-sample', fileKey(file), delimiter, encoding],
    queryFn: () => readCsvSample(file, { delimiter, encoding }),
    placeholderData: (before) => before,
    gcTime: 0,
  })
