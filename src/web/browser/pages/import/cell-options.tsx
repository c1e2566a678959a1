import { Checkbox, NativeSelect } from '@mantine/core'
import type { TableView } from '../../../../tables/model'
import { useStrings } from '../../language'
import type { ColumnMapping } from './column-mapping'
import type { CsvSample } from './csv-sample'

/** How cells with links and with formulas are read, if the file has such cells. */
export type CellOptions = { links?: 'keys' | 'names' } & FormulaOptions

type FormulaOptions = { areEscaped?: boolean }

const linkTypes = ['link', 'manyLinks', 'reverseLinks', 'user']

const isLinked = ({ columns }: TableView, assignment: ColumnMapping): boolean =>
  columns.some(({ name, type }) => linkTypes.includes(type) && assignment.includes(name))

/** Whether cells have the apostrophe that exports for people put before formulas. A workbook needs none. */
const hasEscapedFormula = ({ rows, workbook }: CsvSample): boolean =>
  !workbook && rows.some((row) => row.some((cell) => /^'[\s"']*[-=+@\uff1d\uff0b\uff0d\uff20]/.test(cell)))

type CellOptionsProps = {
  table: TableView
  assignment: ColumnMapping
  found: CsvSample
  options: CellOptions
  change: (options: CellOptions) => void
}

export function CellOptionControls({ table, assignment, found, options, change }: CellOptionsProps) {
  return (
    <>
      {isLinked(table, assignment) && <LinkOption links={options.links} change={(links) => change({ ...options, links })} />}
      <ApostropheOption found={found} options={options} change={(changed) => change({ ...options, ...changed })} />
    </>
  )
}

type LinkOptionProps = { links: CellOptions['links']; change: (links: CellOptions['links']) => void }

export function LinkOption({ links, change }: LinkOptionProps) {
  const { transfer } = useStrings()
  return (
    <NativeSelect
      label={transfer.links}
      value={links ?? ''}
      onChange={({ currentTarget: { value } }) => change((value || undefined) as CellOptions['links'])}
      data={(['', 'keys', 'names'] as const).map((form) => ({ value: form, label: transfer.linkForms[form || 'either'] }))}
    />
  )
}

type ApostropheOptionProps = { found: CsvSample; options: FormulaOptions; change: (options: FormulaOptions) => void }

/** Not rendered if the file has no escaped formulas. The part of a long file outside the sample may have some. */
export function ApostropheOption({ found, options, change }: ApostropheOptionProps) {
  const { transfer } = useStrings()
  if (!found.isCut && !hasEscapedFormula(found)) return null
  return (
    <Checkbox
      label={transfer.removeApostrophes}
      checked={isEscaped(found, options)}
      onChange={(event) => change({ areEscaped: event.currentTarget.checked })}
    />
  )
}

export const cellParameters = ({ table, assignment, found, options }: Omit<CellOptionsProps, 'change'>): Record<string, string> => ({
  ...(options.links && isLinked(table, assignment) ? { links: options.links } : {}),
  ...formulaParameters(found, options),
})

export const formulaParameters = (found: CsvSample, options: FormulaOptions): Record<string, string> =>
  isEscaped(found, options) ? { formulas: 'escape' } : {}

const isEscaped = (found: CsvSample, { areEscaped = hasEscapedFormula(found) }: FormulaOptions): boolean => areEscaped
