import { Checkbox, NativeSelect } from '@mantine/core'
import { useStrings } from '../../language'
import { type CsvSample, type SampleDelimiter, type SampleEncoding, sampleDelimiters, sampleEncodings } from './csv-sample'

/** The user's options. Delimiter and encoding are detected if undefined. */
export type FileOptions = { delimiter?: SampleDelimiter; encoding?: SampleEncoding; hasHeader: boolean }

type FileOptionControlsProps = { found: CsvSample; options: FileOptions; change: (options: FileOptions) => void }

export function FileOptionControls({ found, options, change }: FileOptionControlsProps) {
  const { transfer } = useStrings()
  return (
    <div className="filters">
      <NativeSelect
        label={transfer.delimiter}
        value={found.delimiter}
        onChange={(event) => change({ ...options, delimiter: event.currentTarget.value as SampleDelimiter })}
        data={Object.entries(sampleDelimiters).map(([value, name]) => ({ value, label: transfer.delimiters[name] }))}
      />
      <NativeSelect
        label={transfer.encoding}
        value={found.encoding}
        onChange={(event) => change({ ...options, encoding: event.currentTarget.value as SampleEncoding })}
        data={[...sampleEncodings]}
      />
      <Checkbox
        className="at-end"
        label={transfer.hasHeader}
        checked={options.hasHeader}
        onChange={(event) => change({ ...options, hasHeader: event.currentTarget.checked })}
      />
    </div>
  )
}

/** The parameters of both import routes. The import uses the previewed format. */
export const fileParameters = (found: CsvSample, { hasHeader }: FileOptions): Record<string, string> => ({
  delimiter: sampleDelimiters[found.delimiter],
  encoding: found.encoding,
  ...(hasHeader ? {} : { header: 'false' }),
})
