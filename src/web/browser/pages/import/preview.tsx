import type { DateOrder } from '../../../../tables/notation'
import { useStrings } from '../../language'
import { offsetAt } from './local-times'

const maxPreviewRows = 6

type CsvPreviewProps = { headers: string[]; records: string[][]; timezone: string; dates?: DateOrder }

/** The first records of the file. Local times have the offset with which they would be stored. */
export function CsvPreview({ headers, records, timezone, dates }: CsvPreviewProps) {
  const { transfer } = useStrings()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled has to be reachable by keyboard
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
          {records.slice(0, maxPreviewRows).map((record, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a record is identified by its position
            <tr key={line}>
              {headers.map((_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <td key={index} className="cell">
                  {record[index]} <span className="soft">{offsetAt(record[index] ?? '', timezone, dates)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
