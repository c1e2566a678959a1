import { useContext, useSyncExternalStore } from 'react'
import { choiceColor } from '../../../../tables/choice-colors'
import { Initials } from '../../components/initials'
import { cellKind, chipProps, linkSource } from '../../records/values/cell-kinds'
import type { GridColumn } from '../../records/values/cell-values'
import { LinkLabelsContext } from '../../records/values/link-labels'
import { fittingCount, textWidth } from './text-width'

/** The size of a cell: its width in pixels, and the number of lines in its row. */
export type CellSize = { width: number; lines: number }

/** The size of a cell in which every chip fits. */
export const unlimited: CellSize = { width: Number.POSITIVE_INFINITY, lines: 1 }

/** In pixels, as in the style sheet. `cellPadding` includes the border; `personPadding` replaces `chipPadding`. */
const [cellPadding, chipPadding, personPadding, gap, markWidth] = [19, 16, 40, 4, 26]

type Item = { text: string; color?: string; person?: string; isLink?: boolean }

/** Values side by side; “+2” counts those that do not fit. */
function Chips({ items, size }: { items: readonly Item[]; size: CellSize }) {
  const widths = items.map(({ text, person }) => textWidth(text) + (person ? personPadding : chipPadding))
  const count = fittingCount(widths, { width: size.width - cellPadding, lines: size.lines, gap, mark: markWidth })
  const rest = items.slice(count).map(({ text }) => text)
  return (
    <>
      {items.slice(0, count).map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: values may repeat, and have no state
        <Chip key={index} {...item} />
      ))}
      {rest.length ? (
        <span className="grid-more" title={rest.join(', ')} data-width={widths.reduce((sum, each) => sum + each + gap, cellPadding - gap)}>
          +{rest.length}
          <span className="visually-hidden"> {rest.join(', ')}</span>
        </span>
      ) : null}
    </>
  )
}

function Chip({ text, color, person, isLink }: Item) {
  if (person === undefined)
    return (
      <span className={isLink ? 'grid-chip is-link' : 'grid-chip'} {...chipProps(color)}>
        {text}
      </span>
    )
  return (
    <span className="grid-person">
      <Initials name={text} id={person} />
      <span className="grid-text">{text}</span>
    </span>
  )
}

type ValuesProps = { values: readonly string[]; column: GridColumn; size: CellSize }

export const ChoiceChips = ({ values, column, size }: ValuesProps) => (
  <Chips items={values.map((text) => ({ text, color: choiceColor(column, text) }))} size={size} />
)

/** Linked records and users, by their labels. */
export function LinkChips({ values, column, size }: ValuesProps) {
  const labels = useContext(LinkLabelsContext)
  const source = linkSource(column)
  const isPerson = cellKind(column) === 'person'
  const read = () => values.map((value) => labels.labelOf(source, value) ?? value).join('\0')
  const texts = useSyncExternalStore(labels.subscribe, read).split('\0')
  const items = values.map((value, index) => ({ text: texts[index]!, ...(isPerson ? { person: value } : { isLink: true }) }))
  return <Chips items={items} size={size} />
}
