import { currencyIn, type DateOrder } from '../../../../tables/notation'
import { useStrings } from '../../language'
import { displayText } from '../../records/values/cell-text'
import { unconstrained } from '../../records/values/column-kinds'
import type { CsvSample } from './csv-sample'
import { offsetAt } from './local-times'

const maxPreviewRows = 6

type CsvPreviewProps = { headers: string[]; found: CsvSample; hasHeader: boolean; timezone: string; dates?: DateOrder }

/** The first records of the file. Local times are shown with the offset with which they would be stored. */
export function CsvPreview({ headers, found: { rows, forms }, hasHeader, timezone, dates }: CsvPreviewProps) {
  const { transfer } = useStrings()
  const first = hasHeader ? 1 : 0
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className="table-frame" tabIndex={0} aria-label={transfer.preview}>
      <table className="table">
        <thead>
          <tr>
            {headers.map((header, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column of a file is identified by its position
              <th key={index} scope="col">
                {header || transfer.columnAt(index + 1)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(first, first + maxPreviewRows).map((record, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a record is identified by its position
            <tr key={line}>
              {headers.map((_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <td key={index} className="cell">
                  {shownCell(record[index] ?? '', forms?.[first + line]?.[index])}{' '}
                  <span className="soft">{offsetAt(record[index] ?? '', timezone, dates)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/**
 * A number of a workbook as the column would show it. A whole number, which may be a year or have leading zeros, does
 * not change, and neither does a time, whose offset matches its text.
 */
function shownCell(cell: string, form: NonNullable<CsvSample['forms']>[number][number]): string {
  const sign = form?.startsWith('currency ') ? form.slice('currency '.length) : ''
  const currency = currencyIn(sign) ?? (/^[A-Z]{3}$/.test(sign) ? sign : undefined)
  const type = currency ? 'currency' : form === 'plain' ? (cell.includes('.') ? 'decimal' : 'text') : form
  if (type === 'currency' || type === 'decimal' || type === 'percent' || type === 'date')
    return displayText(cell, { ...unconstrained, id: '', name: '', type, options: currency ? { currency } : {} }, { yes: '', no: '' })
  return cell
}
