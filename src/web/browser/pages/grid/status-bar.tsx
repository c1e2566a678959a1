import { Button } from '@mantine/core'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { Confirm } from '../../components/confirm'
import { formatNumber } from '../../format'
import { useStrings } from '../../language'
import { quoted } from '../record/key'
import { filterPairs, type Query } from './address'
import { BulkEdit } from './bulk-edit'
import type { Placed } from './layout'
import type { Notice, Tell } from './notice'
import type { Records } from './records'
import { rangeOf, type Selection } from './selection'
import type { Checks } from './use-checked'
import type { Values } from './values'
import type { Writer } from './writer'

type StatusBarProps = {
  table: TableView
  records: Records
  writer: Writer
  columns: Placed[]
  query: Query
  selection: Selection
  notice: Notice | null
  tell: Tell
  checks: Checks
  mayWrite: boolean
}

/** How many there are, what is chosen and can be done with it, and what has happened. */
export function StatusBar(props: StatusBarProps) {
  const { grid } = useStrings()
  const { records, notice, selection, checks, mayWrite } = props
  const range = rangeOf(selection)
  const cells = (range.bottom - range.top + 1) * (range.right - range.left + 1)
  const { count } = records
  return (
    <div className="grid-status">
      {checks.count > 0 && mayWrite ? <Chosen {...props} /> : null}
      <p role="status" className={notice?.isFailure ? 'grid-notice is-failure' : 'grid-notice'}>
        {notice?.text ?? ''}
      </p>
      {records.failure && records.isLoaded ? (
        <Button size="compact-xs" variant="default" onClick={() => records.look(range.top - 30, range.top + 30)}>
          {grid.partFailed}
        </Button>
      ) : null}
      {cells > 1 && selection.active.row >= 0 ? <span>{grid.cells(cells)}</span> : null}
      {count ? (
        <span className="grid-count">{count.isExact ? grid.count(records.length) : grid.about(formatNumber(records.length))}</span>
      ) : null}
    </div>
  )
}

/** What can be done with the chosen records. */
function Chosen({ table, records, writer, query, tell, checks, columns }: StatusBarProps) {
  const { grid } = useStrings()
  const [shown, setShown] = useState<'edit' | 'delete' | null>(null)
  const close = () => setShown(null)
  const { checked, count } = checks
  // A write by filter needs one: any key will do when all are meant.
  const everything = () => {
    const pairs = filterPairs(query)
    const all = pairs.length ? pairs : [[quoted(table.primaryKey[0]!), 'not.is.null']]
    return all.map(([name, value]) => `${encodeURIComponent(name!)}=${encodeURIComponent(value!)}`).join('&')
  }
  const remove = async () => {
    if (checked.isAll) await writer.byFilter('DELETE', everything())
    else await writer.remove([...checked.keys])
    checks.clear()
    records.reset(count)
    records.look(0, 60)
    tell.say(grid.deleted(count))
  }
  const put = async (name: string, value: unknown) => {
    const values: Values = { [name]: value }
    if (checked.isAll) {
      const affected = await writer.byFilter('PATCH', everything(), values)
      records.reset()
      records.look(0, 60)
      return tell.say(grid.changed(affected))
    }
    const changes = [...checked.keys].map((key) => ({ key, column: name, before: records.find(key)?.record[name], after: value }))
    if (await writer.write(changes)) tell.say(grid.changed(changes.length))
  }
  // A search is no filter of a write; what it found can be chosen one by one.
  const isSearched = checked.isAll && query.q !== ''
  return (
    <div className="grid-chosen">
      <strong>{grid.chosen(count)}</strong>
      {isSearched ? (
        <span className="soft">{grid.allBySearch}</span>
      ) : (
        <>
          <Button size="compact-xs" variant="default" onClick={() => setShown('edit')}>
            {grid.bulkEdit}
          </Button>
          <Button size="compact-xs" variant="default" color="red" onClick={() => setShown('delete')}>
            {grid.bulkDelete}
          </Button>
        </>
      )}
      <Button size="compact-xs" variant="subtle" onClick={checks.clear}>
        {grid.chooseNone}
      </Button>
      <BulkEdit columns={columns} count={count} isOpen={shown === 'edit'} close={close} put={put} />
      <Confirm
        isOpen={shown === 'delete'}
        close={close}
        title={grid.deleteTitle(count)}
        text={grid.deleteText}
        action={grid.deleteAction(count)}
        name={checked.isAll && query.conditions.length === 0 && query.rest.length === 0 ? table.name : undefined}
        work={remove}
      />
    </div>
  )
}
