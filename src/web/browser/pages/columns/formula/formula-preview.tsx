import type { TableView } from '../../../../../tables/model'
import { FieldValue } from '../../../fields/field-value'
import { useStrings } from '../../../language'
import { titleColumn } from '../../../records/values/column'
import type { FormulaValues } from '../../../records/values/column-data'
import { unconstrained } from '../../../records/values/column-kinds'

/** The values that a formula would have in the first records. */
export function FormulaPreview({ table, preview }: { table: TableView; preview: FormulaValues | undefined }) {
  const { columns: words } = useStrings()
  if (!preview) return null
  if (preview.records.length === 0) return <p className="soft">{words.previewEmpty}</p>
  const title = table.columns.find(({ name }) => name === titleColumn(table))
  const column = { ...unconstrained, id: '', name: '', type: 'formula', options: preview.options }
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
