import type { FileView } from '../../../../attachments/model'
import { Icon } from '../../components/icon'
import { useStrings } from '../../language'
import { cellKind, isEditable } from '../../records/values/cell-kinds'
import { displayText } from '../../records/values/cell-text'
import { cellFiles, type GridColumn, toPlainText } from '../../records/values/cell-values'
import { type CellSize, ChoiceChips, LinkChips, unlimited } from './chips'

type CellProps = { value: unknown; column: GridColumn; size?: CellSize }

/** The content of a cell, by the type of its column. */
export function CellContent({ value, column, size = unlimited }: CellProps) {
  const { tables } = useStrings()
  if (cellKind(column) === 'boolean' && !isEditable(column) && value === null) return null
  if (cellKind(column) !== 'boolean' && (value === null || value === undefined || value === '')) return null
  switch (cellKind(column)) {
    case 'boolean':
      return (
        <span className={value === true ? 'grid-tick is-on' : value === false ? 'grid-tick' : 'grid-tick is-unset'}>
          {value === true ? <Icon name="check" size={13} /> : null}
          <span className="visually-hidden">{displayText(value, column, tables)}</span>
        </span>
      )
    case 'select':
      return <ChoiceChips values={[toPlainText(value)]} column={column} size={size} />
    case 'multiSelect':
      return Array.isArray(value) ? <ChoiceChips values={[...new Set(value.map(toPlainText))]} column={column} size={size} /> : null
    case 'link':
    case 'manyLinks':
    case 'person':
      return <LinkChips values={[value].flat().map(toPlainText)} column={column} size={size} />
    case 'files':
      return cellFiles(value).map((file) => <Thumbnail key={file.id} file={file} />)
    case 'address':
      return <AddressLink text={toPlainText(value)} type={column.type} />
    default:
      return <span className="grid-text">{displayText(value, column, tables)}</span>
  }
}

const Thumbnail = ({ file }: { file: FileView }) =>
  file.type.startsWith('image/') && file.type !== 'image/svg+xml' ? (
    <img className="grid-thumbnail" src={`${file.url}?size=small`} alt={file.name} data-file={file.id} loading="lazy" draggable={false} />
  ) : (
    <span className="grid-chip is-file" data-file={file.id}>
      <Icon name="file" size={13} />
      <span className="grid-text">{file.name}</span>
    </span>
  )

const schemes: Record<string, string> = { email: 'mailto:', phone: 'tel:', url: '' }

/** A click selects the cell; its icon opens the address. Keyboard users open the record, which has the same link. */
function AddressLink({ text, type }: { text: string; type: string }) {
  const { grid } = useStrings()
  const target = `${schemes[type] ?? ''}${type === 'phone' ? text.replace(/[^\d+]/g, '') : text}`
  if (!/^(https?|mailto|tel):/i.test(target)) return <span className="grid-text">{text}</span>
  return (
    <>
      <span className="grid-text">{text}</span>
      <a
        className="grid-open"
        href={target}
        target={type === 'url' ? '_blank' : undefined}
        rel="noreferrer"
        tabIndex={-1}
        draggable={false}
        title={grid.openAddress(text)}
        aria-label={grid.openAddress(text)}
      >
        <Icon name="expand" size={14} />
      </a>
    </>
  )
}
