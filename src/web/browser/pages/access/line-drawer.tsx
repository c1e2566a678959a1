import { Button, Drawer, Group, NativeSelect } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Action } from '../../../../access/model'
import type { TableView } from '../../../../tables/model'
import { CancelButton } from '../../components/dialog'
import { useLazyMount } from '../../components/use-lazy-mount'
import { useStrings } from '../../language'
import { ActionField } from './action-field'
import { ColumnsField } from './columns-field'
import { groupLabel, tableLabel } from './line-words'
import { accessActions, allTables, extentOf, isNamed, type Line, newLine } from './lines'

export type MatrixPosition = { group: string; table: string }

type LineDrawerProps = {
  cell: MatrixPosition
  /** The lines of the cell; usually one or none. */
  lines: readonly Line[]
  all: readonly Line[]
  tables: readonly TableView[]
  isOpen: boolean
  change: (lines: Line[]) => void
  close: () => void
}

/** Edits the line of a group and a table. Changes take effect when they are applied. */
export function LineDrawer(props: LineDrawerProps) {
  const strings = useStrings()
  const { cell, tables, isOpen, close } = props
  const { isMounted, isShown } = useLazyMount(isOpen)
  if (!isMounted) return null
  return (
    <Drawer
      opened={isShown}
      onClose={close}
      position="right"
      size={560}
      title={strings.access.lineOf(groupLabel(cell.group, strings), tableLabel(cell.table, tables, strings))}
      closeButtonProps={{ 'aria-label': strings.shell.close }}
    >
      <LineForm key={`${cell.group} ${cell.table}`} {...props} />
    </Drawer>
  )
}

function LineForm({ cell, lines, all, tables, change, close }: LineDrawerProps) {
  const { access } = useStrings()
  const [edited, setEdited] = useState<readonly Line[]>(() => (lines.length > 0 ? lines : [newLine(cell)]))
  const [initial] = useState(edited)
  const [index, setIndex] = useState(0)
  const [isTried, setTried] = useState(false)
  /** The actions of this line that have incomplete conditions, which are not part of its rules yet. */
  const [unfinished, setUnfinished] = useState<readonly Action[]>([])
  const table = tables.find(({ id }) => id === cell.table) ?? null
  const line = edited[index]!
  const isMissing = (each: Line, action: Action) => each[action].trim() === '' || (each === line && unfinished.includes(action))
  const set = (part: Partial<Line>) => setEdited(edited.with(index, { ...line, ...part, problems: {} }))
  const setRule = (action: Action, rule: string, isUnfinished = false) => {
    setUnfinished([...unfinished.filter((each) => each !== action), ...(isUnfinished ? [action] : [])])
    if (rule === line[action]) return
    const isFollowing = (other: Action) => action === 'read' && other !== 'read' && isSameRule(line[other], line.read)
    set(Object.fromEntries(accessActions.map((each) => [each, each === action || isFollowing(each) ? rule : line[each]])))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    const wrong = edited.findIndex((each) => accessActions.some((action) => isMissing(each, action)))
    if (wrong >= 0) return setIndex(wrong)
    change([...edited])
    close()
  }
  const remove = () => {
    change(edited.filter((each) => each !== line))
    close()
  }
  const isNew = !lines.some(({ id }) => id === line.id)
  const isEmpty = isNew && accessActions.every((action) => line[action] === 'none')
  // A rule that allows nothing closes the table to everyone, so the user has to choose it explicitly.
  const isUntouched = isNew && edited === initial
  return (
    <form className="form access-line" onSubmit={submit}>
      {isNew ? <NewLineNote cell={cell} all={all} table={table} /> : null}
      {edited.length > 1 ? (
        <NativeSelect
          label={access.line}
          value={index}
          data={edited.map((_line, place) => ({ value: String(place), label: access.lineNumber(place + 1) }))}
          onChange={(event) => (unfinished.length > 0 ? setTried(true) : setIndex(Number(event.currentTarget.value)))}
        />
      ) : null}
      <p role="alert" className="alert">
        {[line.problems[''], line.problems.group, line.problems.table].filter(Boolean).join(' ')}
      </p>
      {accessActions.map((action) => (
        <ActionField
          key={`${line.id} ${action}`}
          action={action}
          line={line}
          table={table}
          problem={isTried && isMissing(line, action) ? access.conditionMissing : line.problems[action]}
          change={(rule, isUnfinished) => setRule(action, rule, isUnfinished)}
        />
      ))}
      {['everyone', 'role:viewer'].includes(cell.group) ? <p className="facts">{access.viewersOnlySee}</p> : null}
      {table ? (
        <ColumnsField table={table} columns={line.columns} problem={line.problems.columns} change={(columns) => set({ columns })} />
      ) : null}
      <LineButtons isEmpty={isEmpty} isUntouched={isUntouched} remove={isNew ? null : remove} close={close} />
    </form>
  )
}

type LineButtonsProps = { isEmpty: boolean; isUntouched: boolean; remove: (() => void) | null; close: () => void }

function LineButtons({ isEmpty, isUntouched, remove, close }: LineButtonsProps) {
  const { access } = useStrings()
  return (
    <Group gap="xs" justify="flex-end" className="access-buttons">
      {isEmpty ? <p className="soft access-nothing">{access.allowsNothing}</p> : null}
      {remove ? (
        <Button variant="subtle" color="red" mr="auto" onClick={remove}>
          {access.removeLine}
        </Button>
      ) : null}
      <CancelButton close={close} />
      <Button type="submit" disabled={isUntouched}>
        {access.apply}
      </Button>
    </Group>
  )
}

const isSameRule = (rule: string, read: string) => extentOf(rule) === 'some' && rule === read

/** Warns that the first line of a table closes it to everyone else, which people do not expect. */
function NewLineNote({ cell, all, table }: { cell: MatrixPosition; all: readonly Line[]; table: TableView | null }) {
  const { access } = useStrings()
  const isClosing = cell.table === allTables ? !all.some((line) => line.table === allTables) : !isNamed(all, cell.table)
  if (!isClosing) return <p className="soft">{access.newLine}</p>
  return <p className="access-note">{table ? access.closes(table.name) : access.closesAll}</p>
}
