import { TextInput } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Extent } from '../../../../access/model'
import type { TableView } from '../../../../tables/model'
import { Icon, type IconName } from '../../components/icon'
import { useStrings } from '../../language'
import { groupLabel, marksText, tableLabel } from './line-words'
import { accessActions, allTables, extentOfAll, isHiddenIn, isLineFor, isNamed, type Line } from './lines'

const everyone = 'everyone'

const actionIcons = { read: 'eye', create: 'plus', update: 'pencil', delete: 'trash' } as const satisfies Record<string, IconName>

type MatrixProps = {
  /** Id of the table whose first cell has the focus when the matrix appears. */
  first: string | undefined
  groups: readonly string[]
  tables: readonly TableView[]
  lines: readonly Line[]
  open: (cell: { group: string; table: string }) => void
}

/** With fewer tables, no search field is needed. */
const minTablesToSearch = 7
/** With more tables, those without a line are shown only if the user searches for their name. */
const maxShown = 24

/** The rights of each group to each table: a grid of cells, in which the arrow keys move. */
export function AccessMatrix({ first, groups, tables, lines, open }: MatrixProps) {
  const strings = useStrings()
  const { access } = strings
  const [text, setText] = useState('')
  const [active, setActive] = useState({ row: 0, column: 0 })
  const frame = useRef<HTMLTableElement>(null)
  const found = tables.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  const shown = found.filter(({ id }, index) => index < maxShown || id === first || lines.some(({ table }) => table === id))
  const columns = [allTables, ...shown.map(({ id }) => id)]
  const at = { row: Math.min(active.row, groups.length - 1), column: Math.min(active.column, columns.length - 1) }
  // The index in the first rendered matrix: later, the table may move to another column.
  const [firstColumn] = useState(columns.indexOf(first ?? ''))
  useEffect(() => {
    if (firstColumn < 0) return
    setActive({ row: 0, column: firstColumn })
    frame.current?.querySelector<HTMLElement>(`[data-cell="0:${firstColumn}"]`)?.focus()
  }, [firstColumn])
  const press = (event: KeyboardEvent) => {
    const next = positionAfter(event.key, at, { rows: groups.length, columns: columns.length })
    if (!next) return
    event.preventDefault()
    setActive(next)
    frame.current?.querySelector<HTMLElement>(`[data-cell="${next.row}:${next.column}"]`)?.focus()
  }
  return (
    <>
      {tables.length < minTablesToSearch ? null : (
        <TextInput
          type="search"
          size="xs"
          maw={280}
          aria-label={access.findTable}
          placeholder={access.findTable}
          leftSection={<Icon name="search" size={15} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <div className="table-frame access-frame">
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its cells are moved between by the arrow keys */}
        <table ref={frame} role="grid" className="access-matrix" aria-label={access.matrix} onKeyDown={press}>
          <thead>
            <tr>
              <td />
              {columns.map((table) => (
                <th key={table} scope="col">
                  <span className="access-name">{tableLabel(table, tables, strings)}</span>
                  {table === allTables ? null : <span className="facts">{isNamed(lines, table) ? access.byRules : access.byRole}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups.map((group, row) => (
              <tr key={group}>
                <th scope="row">{groupLabel(group, strings)}</th>
                {columns.map((table, column) => (
                  <MatrixCell
                    key={table}
                    place={`${row}:${column}`}
                    label={[groupLabel(group, strings), tableLabel(table, tables, strings)]}
                    lines={lines.filter(isLineFor(group, table))}
                    hiddenCount={hiddenCount(
                      tables.find(({ id }) => id === table),
                      lines.filter(isLineFor(group, table)),
                    )}
                    general={table === allTables ? [] : lines.filter(isLineFor(group, allTables))}
                    isByRole={!isNamed(lines, table)}
                    isAsEveryone={group !== everyone && [table, allTables].some((each) => lines.some(isLineFor(everyone, each)))}
                    isActive={row === at.row && column === at.column}
                    open={() => {
                      setActive({ row, column })
                      open({ group, table })
                    }}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < found.length ? <p className="facts">{access.moreTables(found.length - shown.length)}</p> : null}
      <Legend />
    </>
  )
}

/** The number of columns of the table that the lines of a group hide. */
const hiddenCount = (table: TableView | undefined, lines: readonly Line[]): number =>
  table?.columns.filter(({ name }) => !table.primaryKey.includes(name) && isHiddenIn(lines, name)).length ?? 0

type Position = { row: number; column: number }

function positionAfter(key: string, { row, column }: Position, size: { rows: number; columns: number }): Position | null {
  const moves: Record<string, Position> = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    Home: { row, column: 0 },
    End: { row, column: size.columns - 1 },
  }
  const next = Object.hasOwn(moves, key) ? moves[key]! : null
  return next && next.row >= 0 && next.row < size.rows && next.column >= 0 && next.column < size.columns ? next : null
}

type CellProps = {
  place: string
  label: [group: string, table: string]
  lines: Line[]
  hiddenCount: number
  /** The group's lines for all tables. */
  general: Line[]
  isByRole: boolean
  /** Whether the lines for everyone apply to the group, too. */
  isAsEveryone: boolean
  isActive: boolean
  open: () => void
}

function MatrixCell({ place, label, lines, hiddenCount, general, isByRole, isAsEveryone, isActive, open }: CellProps) {
  const strings = useStrings()
  const { access } = strings
  const isWrong = lines.some(({ problems }) => Object.keys(problems).length > 0)
  const isGeneral = lines.length === 0 && general.length > 0
  const shown = isGeneral ? general : lines
  const inherited = isByRole ? access.byRole : isAsEveryone ? access.asEveryone : null
  const marks = isGeneral
    ? access.byAllTables(marksText(general, strings))
    : lines.length > 0
      ? marksText(lines, strings)
      : (inherited ?? access.noLine)
  const hidden = hiddenCount > 0 ? access.columnsHidden(hiddenCount) : ''
  const allMarks = [marks, hidden].filter(Boolean).join(', ')
  const name = access.cell(...label, allMarks) + (isWrong ? `, ${access.hasProblem}` : '')
  return (
    <td>
      <button
        type="button"
        className={['access-cell', isWrong ? 'is-wrong' : '', isGeneral ? 'is-general' : ''].filter(Boolean).join(' ')}
        data-cell={place}
        tabIndex={isActive ? 0 : -1}
        aria-label={name}
        title={allMarks}
        onClick={open}
      >
        {isWrong ? <Icon name="warning" size={14} /> : null}
        {shown.length > 0 ? (
          accessActions.map((action) => <Mark key={action} icon={actionIcons[action]} extent={extentOfAll(shown, action)} />)
        ) : (
          <span className="access-empty" aria-hidden={inherited === null}>
            {inherited ?? '–'}
          </span>
        )}
        {hidden ? (
          <span className="access-hidden">
            <Icon name="eyeOff" size={13} />
            {hiddenCount}
          </span>
        ) : null}
      </button>
    </td>
  )
}

const Mark = ({ icon, extent }: { icon: IconName; extent: Extent }) => (
  <span className={`access-mark is-${extent}`}>
    <Icon name={icon} size={13} />
  </span>
)

/** The help above the matrix. */
export function MatrixText() {
  const { access } = useStrings()
  return (
    <>
      {access.matrixText} <span className="access-keys">{access.matrixKeys}</span>
    </>
  )
}

function Legend() {
  const { access } = useStrings()
  return (
    <ul className="access-legend facts">
      {accessActions.map((action) => (
        <li key={action}>
          <Icon name={actionIcons[action]} size={14} /> {access.actions[action]}
        </li>
      ))}
      {(['all', 'some', 'none'] as const).map((extent) => (
        <li key={extent}>
          <Mark icon="eye" extent={extent} /> {access.extents[extent]}
        </li>
      ))}
      <li>
        <Icon name="eyeOff" size={14} /> {access.hiddenColumns}
      </li>
    </ul>
  )
}
