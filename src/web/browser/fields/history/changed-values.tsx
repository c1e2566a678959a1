import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useStrings } from '../../language'
import { cellKind, withAllDigits } from '../../records/values/cell-kinds'
import { displayText } from '../../records/values/cell-text'
import { toPlainText } from '../../records/values/cell-values'
import type { ColumnInfo } from '../../records/values/column'
import { CellContent } from '../cells/cell'
import { excerpts } from './excerpt'

/** A value before and after a change. `column` is null if the column no longer exists. */
export type ValueChange = { name: string; column: ColumnInfo | null; before: unknown; after: unknown }

/** The number of columns that are listed before “Show more”. */
const listedFirst = 8

type ChangedValuesProps = { changes: readonly ValueChange[]; isCreation?: boolean }

/** Each column with its old and its new value; for a creation, only values that are not empty. */
export function ChangedValues({ changes, isCreation = false }: ChangedValuesProps) {
  const { history, record } = useStrings()
  const [isWhole, setWhole] = useState(false)
  const told = isCreation ? changes.filter(({ after }) => !isEmpty(after)) : changes
  const listed = isWhole ? told : told.slice(0, listedFirst)
  if (told.length === 0) return null
  return (
    <>
      <dl className="changed">
        {listed.map((change) => (
          <div key={change.column?.id ?? `${change.name} `} data-changed={change.name}>
            <dt>{change.column ? change.name : history.goneColumn(change.name)}</dt>
            <dd>
              <BeforeAndAfter {...change} isCreation={isCreation} />
            </dd>
          </div>
        ))}
      </dl>
      {listed.length < told.length ? (
        <Button size="compact-xs" variant="subtle" className="at-start" onClick={() => setWhole(true)}>
          {record.showMore(told.length - listed.length)}
        </Button>
      ) : null}
    </>
  )
}

function BeforeAndAfter({ column, before, after, isCreation }: ValueChange & { isCreation: boolean }) {
  const { history } = useStrings()
  const [old, now] = useTexts(column, before, after)
  const shownAfter = <Value column={column} value={after} text={now} />
  if (isCreation) return shownAfter
  return (
    <>
      <span className="changed-before">
        <Value column={column} value={before} text={old} />
      </span>
      <span>
        <span className="changed-arrow" aria-hidden="true">
          →
        </span>
        <span className="visually-hidden"> {history.became} </span> {shownAfter}
      </span>
    </>
  )
}

function useTexts(column: ColumnInfo | null, before: unknown, after: unknown): [before: string, after: string] {
  const { tables } = useStrings()
  const textOf = (value: unknown) => (isEmpty(value) ? '' : column ? displayText(value, withAllDigits(column), tables) : toPlainText(value))
  return excerpts(textOf(before), textOf(after))
}

/** The kinds that have chips. */
const chipKinds = ['select', 'multiSelect', 'link', 'manyLinks', 'person']

/** A value by the type of its column, in one line. */
export function OneValue({ column, value }: { column: ColumnInfo; value: unknown }) {
  const [text] = useTexts(column, value, null)
  return <Value column={column} value={value} text={text} />
}

function Value({ column, value, text }: { column: ColumnInfo | null; value: unknown; text: string }): ReactNode {
  const { record } = useStrings()
  if (isEmpty(value)) return <span className="soft">{record.empty}</span>
  if (column && chipKinds.includes(cellKind(column))) return <CellContent value={value} column={column} />
  // Files in the log have no URL, and may have been deleted.
  return column && cellKind(column) === 'files' ? filesNamed(value) : text
}

const filesNamed = (value: unknown): string =>
  [value]
    .flat()
    .flatMap((file) => (file as { name?: string }).name ?? [])
    .join(', ')

export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
