import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import {
  type DateOrder,
  type DecimalMark,
  dateOrders,
  decimalMarks,
  guessNotation,
  type Notation,
  type NotationGuess,
} from '../../../../tables/notation'
import { maxSheetRows } from '../../../../xlsx/sheet-size'
import { useStrings } from '../../language'
import { localTimeZone } from '../../values/timestamps'
import {
  type CsvSample,
  type SampleDelimiter,
  type SampleEncoding,
  type SampleOptions,
  sampleDelimiters,
  sampleEncodings,
} from './csv-sample'
import { localTimePattern } from './local-times'

/** The user's options. Undefined options are detected. */
export type FileOptions = SampleOptions & { hasHeader: boolean; timezone?: string } & Notation

/** The time zone of local times in the file: from a Rowhouse workbook, else the user's choice, else the browser's. */
export const zoneOf = ({ workbook }: CsvSample, { timezone = localTimeZone() }: FileOptions): string => workbook?.timezone ?? timezone

/** The notation of dates and numbers at the beginning of the file. */
export function sampleNotation({ rows, workbook }: CsvSample, { hasHeader }: FileOptions): NotationGuess {
  const records = hasHeader ? rows.slice(1) : rows
  const guess = guessNotation((rows[0] ?? []).map((_, index) => records.map((record) => record[index] ?? '')))
  // Numbers in a workbook are not text.
  return workbook ? { dates: guess.dates, ambiguous: guess.ambiguous.filter((name) => name !== 'decimals') } : guess
}

/** Whether the notation of dates or numbers is ambiguous in the file, and not chosen by the user. */
export const isNotationOpen = ({ ambiguous }: NotationGuess, options: FileOptions): boolean =>
  ambiguous.some((name) => options[name] === undefined)

type FileOptionControlsProps = { found: CsvSample; notation: NotationGuess; options: FileOptions; change: (options: FileOptions) => void }

export function FileOptionControls({ found, notation, options, change }: FileOptionControlsProps) {
  const { transfer } = useStrings()
  return (
    <div className="filters">
      {found.workbook ? (
        <SheetControls workbook={found.workbook} options={options} change={change} />
      ) : (
        <>
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
        </>
      )}
      <NotationSelect
        name="dates"
        words={dateOrders}
        isPossible={hasCell(textsOf(found), /\d[-./]\d+[-./]\d/)}
        notation={notation}
        options={options}
        change={(dates) => change({ ...options, dates: (dates || undefined) as DateOrder | undefined })}
      />
      <NotationSelect
        name="decimals"
        words={decimalMarks}
        isPossible={!found.workbook && hasCell(found, /\d[.,]\d|\d *[€$£%]|[€$£] *\d/)}
        notation={notation}
        options={options}
        change={(decimals) => change({ ...options, decimals: (decimals || undefined) as DecimalMark | undefined })}
      />
      {hasCell(found, localTimePattern) && (
        <NativeSelect
          label={transfer.timezone}
          value={zoneOf(found, options)}
          disabled={found.workbook?.timezone !== undefined}
          onChange={(event) => change({ ...options, timezone: event.currentTarget.value })}
          data={[...new Set([zoneOf(found, options), 'UTC', ...Intl.supportedValuesOf('timeZone')])]}
        />
      )}
      <Checkbox
        className="at-end"
        label={transfer.hasHeader}
        checked={options.hasHeader}
        onChange={(event) => change({ ...options, hasHeader: event.currentTarget.checked })}
      />
    </div>
  )
}

/** The text cells of a workbook: only they have a notation of dates. */
const textsOf = ({ rows, forms }: CsvSample): Pick<CsvSample, 'rows'> => ({
  rows: rows.map((row, line) => row.filter((_, index) => !forms?.[line]?.[index])),
})

const hasCell = ({ rows }: Pick<CsvSample, 'rows'>, pattern: RegExp): boolean => rows.some((row) => row.some((cell) => pattern.test(cell)))

type SheetControlsProps = {
  workbook: NonNullable<CsvSample['workbook']>
  options: FileOptions
  change: (options: FileOptions) => void
}

function SheetControls({ workbook, options, change }: SheetControlsProps) {
  const { transfer } = useStrings()
  return (
    <>
      <NativeSelect
        label={transfer.sheet}
        value={workbook.sheet}
        onChange={(event) => change({ ...options, sheet: event.currentTarget.value, headerRow: undefined })}
        data={workbook.sheets}
      />
      <TextInput
        type="number"
        label={transfer.headerRow}
        key={`${workbook.sheet} ${options.headerRow === undefined}`}
        defaultValue={workbook.headerRow}
        min={1}
        max={maxSheetRows}
        onChange={({ currentTarget: { value } }) => {
          const row = Number(value)
          if (Number.isInteger(row) && row >= 1 && row <= maxSheetRows) change({ ...options, headerRow: row })
        }}
      />
    </>
  )
}

type NotationSelectProps = {
  name: keyof Notation
  words: readonly (DateOrder | DecimalMark)[]
  /** Whether some cells look like such values, but too few to determine the notation. */
  isPossible: boolean
  notation: NotationGuess
  options: FileOptions
  change: (word: string) => void
}

/** Not rendered if the file has no such values. If their notation is ambiguous, the user has to choose it. */
function NotationSelect({ name, words, isPossible, notation, options, change }: NotationSelectProps) {
  const { transfer } = useStrings()
  const isOpen = notation.ambiguous.includes(name)
  const value = options[name] ?? notation[name]
  if (value === undefined && !isOpen && !isPossible) return null
  const plain = isOpen
    ? { value: '', label: transfer.choose, disabled: true }
    : { value: '', label: transfer.plainNotations[name], disabled: notation[name] !== undefined }
  const choices = words.map((word) => ({ value: word as string, label: transfer.notations[word] }))
  return (
    <NativeSelect
      label={transfer[name]}
      value={value ?? ''}
      error={value === undefined && isOpen ? transfer.ambiguous[name] : undefined}
      onChange={(event) => change(event.currentTarget.value)}
      data={isOpen && value !== undefined ? choices : [plain, ...choices]}
    />
  )
}

/** The notation, as the parameters that determine how cells are read. */
export const notationOf = ({ dates, decimals, timezone }: Record<string, string>): string => [dates, decimals, timezone].join(' ')

/** The parameters of both import routes. The import uses the previewed format. */
export const fileParameters = (found: CsvSample, guess: NotationGuess, options: FileOptions): Record<string, string> => {
  const { hasHeader, headerRow, dates = guess.dates, decimals = guess.decimals } = options
  return {
    ...(found.workbook
      ? { sheet: found.workbook.sheet, ...(headerRow === undefined ? {} : { headerRow: String(headerRow) }) }
      : { delimiter: sampleDelimiters[found.delimiter], ...(found.isEncodingOpen ? {} : { encoding: found.encoding }) }),
    timezone: zoneOf(found, options),
    ...(dates ? { dates } : {}),
    ...(decimals ? { decimals } : {}),
    ...(hasHeader ? {} : { header: 'false' }),
  }
}
