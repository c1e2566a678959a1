import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { tablesQuery } from '../../../api/queries'
import { Confirm } from '../../../components/confirm-dialog'
import { useStrings } from '../../../language'
import { quoted } from '../../record/data/record-key'
import type { Writer } from '../data/cell-mutations'
import { filterPairs, type Query } from '../data/list-query'
import type { Records } from '../data/record-pages'
import { lossesOf, mostRestored } from '../data/restoration'
import { unseen } from '../data/undo-stack'
import type { Placed } from '../view/column-layout'
import type { Tell } from '../view/use-notice'
import { BulkEdit } from './bulk-edit'
import type { Checks } from './use-row-selection'

export type ChosenProps = {
  table: TableView
  records: Records
  writer: Writer
  columns: Placed[]
  query: Query
  tell: Tell
  checks: Checks
  undo: () => void
}

/** What can be done with the chosen records. */
export function Chosen({ table, records, writer, query, tell, checks, columns, undo }: ChosenProps) {
  const { grid } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const [shown, setShown] = useState<'edit' | 'delete' | null>(null)
  const close = () => setShown(null)
  const { checked, count } = checks
  const isKept = count <= mostRestored

  const remove = async () => {
    const affected = checked.isAll
      ? await writer.rows.removeAll(everything(table, query, records), isKept)
      : await writer.rows.remove([...checked.keys]).finally(() => records.reset())
    checks.clear()
    if (checked.isAll) records.reset(affected)
    tell.say(grid.recordsDeleted(affected), isKept ? undo : undefined)
    // The button that had the focus has gone.
    setTimeout(() => document.querySelector<HTMLElement>('.grid [tabindex="0"]')?.focus({ preventScroll: true }))
  }
  const put = async (name: string, value: unknown) => {
    if (checked.isAll) {
      const affected = await writer.rows.changeAll(everything(table, query, records), { [name]: value })
      records.reset()
      return tell.say(grid.recordsUpdated(affected))
    }
    const seen = (key: string) => {
      const row = records.find(key)
      return row ? row.record[name] : unseen
    }
    const changes = [...checked.keys].map((key) => ({ key, column: name, before: seen(key), after: value }))
    const written = await writer.write(changes)
    if (written) tell.say(grid.recordsUpdated(written.length))
  }
  const isWhole = checked.isAll && query.conditions.length === 0 && query.rest.length === 0 && query.q === ''
  return (
    <div className="grid-chosen">
      <strong>{grid.selected(count)}</strong>
      <Button size="compact-xs" variant="default" onClick={() => setShown('edit')}>
        {grid.bulkEdit}
      </Button>
      <Button size="compact-xs" variant="default" color="red" onClick={() => setShown('delete')}>
        {grid.bulkDelete}
      </Button>
      <Button size="compact-xs" variant="subtle" onClick={checks.clear}>
        {grid.clearSelection}
      </Button>
      <BulkEdit columns={columns} count={count} isForGood={checked.isAll} isOpen={shown === 'edit'} close={close} put={put} />
      <Confirm
        isOpen={shown === 'delete'}
        close={close}
        title={grid.deleteTitle(count)}
        text={isKept ? [grid.deleteText, grid.notRestored(lossesOf(table, tables))].filter(Boolean).join(' ') : grid.deletePermanently}
        action={grid.deleteAction(count)}
        name={isWhole ? table.name : undefined}
        work={remove}
      />
    </div>
  )
}

/** All that the list finds, as the query of a write; not more than were said, where that is known. A write by filter needs one: any key will do when all are meant. */
function everything(table: TableView, query: Query, { count, recordCount }: Records): string {
  const pairs = filterPairs(query)
  const found = query.q ? [...pairs, ['q', query.q]] : pairs
  const all = found.length ? found : [[quoted(table.primaryKey[0]!), 'not.is.null']]
  const bounded = count?.isExact ? [...all, ['maxAffected', String(recordCount)]] : all
  return bounded.map(([name, value]) => `${encodeURIComponent(name!)}=${encodeURIComponent(value!)}`).join('&')
}
