import type { TableView } from '../../../../../tables/model'
import { FieldValue } from '../../../fields/field-value'
import { useStrings } from '../../../language'
import { titleColumn } from '../../../records/values/column'
import type { FormulaValues } from '../../../records/values/column-data'
import { unconstrained } from '../../../records/values/column-kinds'
import { type ColumnDraft, withDisplay } from '../column-draft'

type FormulaPreviewProps = { table: TableView; preview: FormulaValues | undefined; draft: ColumnDraft }

/** The values that a formula would have in the first records, displayed as the column would display them. */
export function FormulaPreview({ table, preview, draft }: FormulaPreviewProps) {
  const { columns: words } = useStrings()
  if (!preview) return null
  if (preview.records.length === 0) return <p className="soft">{words.previewEmpty}</p>
  const title = table.columns.find(({ name }) => name === titleColumn(table))
  const { options } = withDisplay(draft, preview.proposed)
  const display = {
    ...(options.decimals ? { decimals: Number(options.decimals) } : {}),
    ...(options.currency ? { currency: options.currency } : {}),
  }
  const column = { ...unconstrained, id: '', name: '', type: 'formula', options: { ...preview.options, ...display } }
  return (
    <table className="formula-preview">
      <caption>{words.preview}</caption>
      <tbody>
        {preview.records.map(({ name, value }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: records of a preview have no key and no state
          <tr key={at}>
            <th scope="row">{title ? <FieldValue column={title} value={name} /> : at + 1}</th>
            <td>
              <FieldValue column={column} value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
