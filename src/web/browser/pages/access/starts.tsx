import { Checkbox, Menu, NativeSelect } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { CancelButton, Dialog } from '../../components/dialog'
import { Form } from '../../components/form/form'
import { Icon } from '../../components/icon'
import { useStrings } from '../../language'
import { createColumn, invalidateTable } from '../../records/values/column-data'
import { groupLabel } from './line-words'
import { allTables, isHiddenIn, isLineFor, type Line } from './lines'
import { canGetColumn, isFilledIn, newOwnerName, ownerColumns, wholeRights, withoutColumns, withRights } from './recipes'
import { writeRule } from './rule-text'

const starts = ['own', 'group', 'hidden'] as const
export type Start = (typeof starts)[number]

const startIcons = { own: 'user', group: 'table', hidden: 'eyeOff' } as const

/** Buttons for common rules. Each opens a dialog that asks for the details. */
export function StartOffers({ choose }: { choose: (start: Start) => void }) {
  const { access } = useStrings()
  return (
    <div className="offers">
      {starts.map((start) => (
        <button key={start} type="button" className="offer" onClick={() => choose(start)}>
          <span className="state-icon">
            <Icon name={startIcons[start]} />
          </span>
          <span className="offer-title">{access.starts[start]}</span>
          <span className="soft">{access.startTexts[start]}</span>
        </button>
      ))}
    </div>
  )
}

/** The same rules as items of a menu. */
export function StartMenuItems({ choose }: { choose: (start: Start) => void }) {
  const { access } = useStrings()
  return starts.map((start) => (
    <Menu.Item key={start} leftSection={<Icon name={startIcons[start]} size={16} />} onClick={() => choose(start)}>
      {access.starts[start]}
    </Menu.Item>
  ))
}

type StartDialogProps = {
  start: Start | null
  groups: readonly string[]
  tables: readonly TableView[]
  /** Id of the table from which the page was opened. */
  first: string | undefined
  lines: readonly Line[]
  change: (lines: Line[]) => void
  close: () => void
}

/** Asks for the details of a common rule, and adds its line or changes the group's existing line for the table. */
export function StartDialog({ start, ...props }: StartDialogProps) {
  const { access } = useStrings()
  const [shown, setShown] = useState(start)
  // Keep the contents while the dialog closes.
  if (start !== null && shown !== start) setShown(start)
  return (
    <Dialog title={shown ? access.starts[shown] : ''} isOpen={start !== null} close={props.close}>
      {shown === 'own' ? <OwnRecords {...props} /> : null}
      {shown === 'group' ? <OneGroup {...props} /> : null}
      {shown === 'hidden' ? <HiddenColumns {...props} /> : null}
    </Dialog>
  )
}

type StartFormProps = Omit<StartDialogProps, 'start'>

function OwnRecords({ groups, tables, first, lines, change, close }: StartFormProps) {
  const { access } = useStrings()
  const offered = tables.filter((table) => ownerColumns(table).length > 0 || canGetColumn(table))
  const [tableId, setTableId] = useState(
    (offered.find(({ id }) => id === first) ?? offered.find((table) => ownerColumns(table).length > 0) ?? offered[0])?.id,
  )
  const [name, setName] = useState<string>()
  const [group, setGroup] = useState(groups[0]!)
  const [may, setMay] = useState({ create: true, update: true, delete: false })
  const table = offered.find(({ id }) => id === tableId)
  if (!table) return <NoPersonColumn tables={tables} />
  const owners = ownerColumns(table)
  const [newName, hasNew] = [newOwnerName(table), canGetColumn(table) && !owners.some(isFilledIn)]
  // Null for the column that is created with the line.
  const column = hasNew && name === newName ? null : (owners.find((each) => each.name === name) ?? owners[0] ?? null)
  const isFilled = !column || isFilledIn(column)
  const submit = async () => {
    const owner = column ?? (await createColumn(table, { name: newName, type: 'createdBy' }))
    if (!column) await invalidateTable()
    const columns = column ? table.columns : [...table.columns, owner]
    const own = writeRule(
      { kind: 'group', join: 'and', items: [{ kind: 'rule', column: owner.name, operator: 'anyOf', values: ['@me'] }] },
      { ...table, columns },
    )
    const ruleIf = (isAllowed: boolean) => (isAllowed ? own : 'none')
    const rights = { read: own, create: ruleIf(may.create), update: ruleIf(may.update), delete: ruleIf(may.delete) }
    change(withRights(lines, { group, table: table.id }, rights))
    close()
  }
  return (
    <Form action={column ? access.addLine : access.addColumnAndLine} submit={submit} beside={<CancelButton close={close} />}>
      <TableSelect tables={offered} value={table.id} choose={setTableId} />
      <NativeSelect
        label={access.personColumn}
        description={column ? undefined : access.newOwnerHelp}
        value={column?.name ?? newName}
        data={[
          ...owners.map((each) => ({ value: each.name, label: each.name })),
          ...(hasNew ? [{ value: newName, label: access.newOwner(newName) }] : []),
        ]}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <GroupSelect groups={groups} value={group} choose={setGroup} />
      <RulesNote lines={lines} group={group} table={table} changed={access.rightsChange} />
      <div className="stack">
        <Checkbox
          label={access.mayAdd}
          description={may.create ? (isFilled ? access.filledHelp : access.ownHelp)(column?.name ?? newName) : undefined}
          checked={may.create}
          onChange={({ currentTarget: { checked } }) => setMay({ ...may, create: checked })}
        />
        <Checkbox
          label={access.mayChange}
          checked={may.update}
          onChange={({ currentTarget: { checked } }) => setMay({ ...may, update: checked })}
        />
        <Checkbox
          label={access.mayDelete}
          checked={may.delete}
          onChange={({ currentTarget: { checked } }) => setMay({ ...may, delete: checked })}
        />
      </div>
    </Form>
  )
}

const maxOffered = 12

/** Links to the tables, to add the column. */
function NoPersonColumn({ tables }: { tables: readonly TableView[] }) {
  const { access } = useStrings()
  return (
    <div className="form">
      <p>{access.noPersonColumn}</p>
      <ul className="access-checks">
        {tables.slice(0, maxOffered).map(({ id, name }) => (
          <li key={id}>
            <Link to="/tables/$tableId/columns" params={{ tableId: id }}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

function OneGroup({ groups, tables, first, lines, change, close }: StartFormProps) {
  const { access } = useStrings()
  // The user's own groups come last, and are the usual choice.
  const [group, setGroup] = useState(groups.at(-1)!)
  const [tableId, setTableId] = useState(first ?? tables[0]?.id ?? '')
  const submit = async () => {
    change(withRights(lines, { group, table: tableId }, wholeRights))
    close()
  }
  return (
    <Form action={access.addLine} submit={submit} beside={<CancelButton close={close} />}>
      <TableSelect tables={tables} value={tableId} choose={setTableId} />
      <GroupSelect groups={groups} value={group} choose={setGroup} />
      <RulesNote lines={lines} group={group} table={tables.find(({ id }) => id === tableId)} changed={access.rightsChange} />
    </Form>
  )
}

function HiddenColumns({ groups, tables, first, lines, change, close }: StartFormProps) {
  const { access } = useStrings()
  const [group, setGroup] = useState(groups[0]!)
  const [tableId, setTableId] = useState(first ?? tables[0]?.id ?? '')
  const [hidden, setHidden] = useState<string[]>([])
  const table = tables.find(({ id }) => id === tableId)
  const its = lines.filter(isLineFor(group, tableId))
  const submit = async () => {
    if (table) change(withoutColumns(lines, { group, table }, hidden))
    close()
  }
  return (
    <Form action={access.addLine} submit={submit} beside={<CancelButton close={close} />}>
      <TableSelect
        tables={tables}
        value={tableId}
        choose={(id) => {
          setTableId(id)
          setHidden([])
        }}
      />
      <GroupSelect groups={groups} value={group} choose={setGroup} />
      <RulesNote lines={lines} group={group} table={table} changed={access.columnsChange} />
      {lines.some((line) => isLineFor(group, allTables)(line) && line.read !== 'none') ? (
        <p className="access-note">{access.stillShown}</p>
      ) : null}
      <fieldset className="choices">
        <legend className="field-label">{access.hiddenColumns}</legend>
        <div className="access-checks">
          {(table?.columns ?? [])
            .filter(({ name }) => !table!.primaryKey.includes(name))
            .map(({ id, name }) => (
              <Checkbox
                key={id}
                size="xs"
                label={name}
                checked={hidden.includes(name) || isHiddenIn(its, name)}
                disabled={isHiddenIn(its, name)}
                onChange={({ currentTarget: { checked } }) =>
                  setHidden(checked ? [...hidden, name] : hidden.filter((each) => each !== name))
                }
              />
            ))}
        </div>
      </fieldset>
    </Form>
  )
}

type RulesNoteProps = {
  lines: readonly Line[]
  group: string
  table: TableView | undefined
  changed: (group: string, table: string) => string
}

/** The effect on existing rules: this group's rules change, and the rules of other groups add to the new one. */
function RulesNote({ lines, group, table, changed }: RulesNoteProps) {
  const strings = useStrings()
  if (!table) return null
  const isOwn = isLineFor(group, table.id)
  const others = lines.filter((line) => !isOwn(line) && (line.table === table.id || line.table === allTables))
  const names = [...new Set(others.map((line) => groupLabel(line.group, strings)))]
  return (
    <>
      {lines.some(isOwn) ? <p className="facts">{changed(groupLabel(group, strings), table.name)}</p> : null}
      {names.length > 0 ? <p className="access-note">{strings.access.rulesAddUp(table.name, names.join(', '))}</p> : null}
    </>
  )
}

function TableSelect({ tables, value, choose }: { tables: readonly TableView[]; value: string; choose: (id: string) => void }) {
  const { access } = useStrings()
  return (
    <NativeSelect
      label={access.table}
      value={value}
      data={tables.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(event) => choose(event.currentTarget.value)}
      data-autofocus
    />
  )
}

function GroupSelect({ groups, value, choose }: { groups: readonly string[]; value: string; choose: (group: string) => void }) {
  const strings = useStrings()
  return (
    <NativeSelect
      label={strings.access.group}
      value={value}
      data={groups.map((group) => ({ value: group, label: groupLabel(group, strings) }))}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  )
}
