import { ActionIcon, Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { queryClient } from '../../../api/queries'
import { recordAddress } from '../../../api/urls'
import { Confirm } from '../../../components/confirm-dialog'
import { Copyable } from '../../../components/copy-field'
import { Dialog } from '../../../components/dialog'
import { Icon, type IconName } from '../../../components/icon'
import { useStrings } from '../../../language'
import { readQuery, type Sort, validSearch } from '../../grid/data/list-query'
import { quotedAddress } from '../../table-tools/code-lines'
import { neighboursQuery } from '../data/adjacent-records'
import { deleteRecord, forgetRecords, recordQuery, type Stored } from '../data/record-queries'
import { MakeDocument, useTemplates } from './document-dialog'

type RecordActionsProps = { table: TableView; segment: string; stored: Stored; isEditor: boolean }

/** To the records before and after, and what can be done with this one. */
export function RecordActions({ table, segment, stored, isEditor }: RecordActionsProps) {
  const { record: words } = useStrings()
  const [shown, setShown] = useState<'address' | 'document' | 'delete' | null>(null)
  const close = () => setShown(null)
  const templates = useTemplates()
  const cells = table.columns.filter(({ type }) => type === 'attachment')
  return (
    <>
      <Neighbours table={table} stored={stored} />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={words.menu}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isEditor ? (
            <Menu.Item
              leftSection={<Icon name="plus" size={16} />}
              renderRoot={(given) => <Link {...given} to="/tables/$tableId/records/new" params={{ tableId: table.id }} />}
            >
              {words.create}
            </Menu.Item>
          ) : null}
          <Menu.Item leftSection={<Icon name="code" size={16} />} onClick={() => setShown('address')}>
            {words.links}
          </Menu.Item>
          {isEditor && cells.length > 0 && templates.length > 0 && table.primaryKey.length === 1 ? (
            <Menu.Item leftSection={<Icon name="file" size={16} />} onClick={() => setShown('document')}>
              {words.document}
            </Menu.Item>
          ) : null}
          {isEditor ? (
            <Menu.Item leftSection={<Icon name="trash" size={16} />} color="var(--app-danger)" onClick={() => setShown('delete')}>
              {words.delete}
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      <AddressDialog table={table} segment={segment} isOpen={shown === 'address'} close={close} />
      <MakeDocument table={table} segment={segment} cells={cells} templates={templates} isOpen={shown === 'document'} close={close} />
      <DeleteDialog table={table} segment={segment} isOpen={shown === 'delete'} close={close} />
    </>
  )
}

/** Of the list that the record was opened from: its search, filters and order stand in the address. */
function Neighbours({ table, stored }: { table: TableView; stored: Stored }) {
  const { record: words } = useStrings()
  const search = useSearch({ strict: false })
  const list = readQuery(validSearch(search))
  const isKnown = ({ column }: Sort) => table.columns.some(({ name }) => name === column)
  const { data } = useQuery(neighboursQuery(table, stored.record, { ...list, sort: list.sort.filter(isKnown) }))
  // Read beforehand, so that the next one is there at once.
  useEffect(() => {
    for (const segment of [data?.before, data?.after]) if (segment) void queryClient.prefetchQuery(recordQuery(table, segment))
  }, [table, data])
  return (
    <>
      <Neighbour table={table} segment={data?.before} icon="left" label={words.previous} />
      <Neighbour table={table} segment={data?.after} icon="right" label={words.next} />
    </>
  )
}

type NeighbourProps = { table: TableView; segment: string | null | undefined; icon: IconName; label: string }

/** Stays where it is at an end, without a way to go. */
function Neighbour({ table, segment, icon, label }: NeighbourProps) {
  if (!segment) {
    return (
      <ActionIcon variant="default" size="lg" aria-label={label} disabled>
        <Icon name={icon} />
      </ActionIcon>
    )
  }
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      title={label}
      renderRoot={(given) => <Link {...given} to="/tables/$tableId/records/$pk" params={{ tableId: table.id, pk: segment }} search />}
    >
      <Icon name={icon} />
    </ActionIcon>
  )
}

type DialogProps = { table: TableView; segment: string; isOpen: boolean; close: () => void }

function AddressDialog({ table, segment, isOpen, close }: DialogProps) {
  const { record: words } = useStrings()
  const api = location.origin + recordAddress(table.id, segment)
  return (
    <Dialog title={words.links} isOpen={isOpen} close={close} size="lg">
      <div className="form">
        <Copyable label={words.linkToRecord} value={location.origin + location.pathname} />
        <Copyable label={words.apiRequest} value={`curl -H "Authorization: Bearer $TOKEN" ${quotedAddress(api)}`} />
      </div>
    </Dialog>
  )
}

function DeleteDialog({ table, segment, isOpen, close }: DialogProps) {
  const { record: words } = useStrings()
  const navigate = useNavigate()
  const remove = async () => {
    await deleteRecord(table, segment)
    await navigate({ to: '/tables/$tableId', params: { tableId: table.id }, ignoreBlocker: true })
    queryClient.removeQueries(recordQuery(table, segment))
    await forgetRecords(table)
  }
  return <Confirm isOpen={isOpen} close={close} title={words.deleteTitle} text={words.deleteText} action={words.delete} work={remove} />
}
