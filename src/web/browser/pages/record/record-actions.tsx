import { ActionIcon, Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { TableView } from '../../../../tables/model'
import type { Template } from '../../api/documents-query'
import { queryClient } from '../../api/queries'
import { recordUrl } from '../../api/urls'
import { useIsViewing } from '../../api/view-as'
import { quotedUrl } from '../../components/code/code-lines'
import { CopyField } from '../../components/code/copy-field'
import { ConfirmDialog } from '../../components/confirm-dialog'
import { Dialog } from '../../components/dialog'
import { Icon, type IconName } from '../../components/icon'
import { useStrings } from '../../language'
import { adjacentRecordsQuery } from '../../records/list/adjacent-records'
import { parseListQuery, type Sort, validateSearch } from '../../records/list/list-query'
import { documentPath, templateTitle } from '../../records/list/record-templates'
import { type FetchedRecord, invalidateRecords, recordQuery, removeRecord } from '../../records/values/record-queries'
import { DocumentDialog, useTemplates } from './document-dialog'
import { ShareRecordDialog } from './share-record-dialog'

type RecordActionsProps = { table: TableView; segment: string; stored: FetchedRecord }

type DocumentLinksProps = { table: TableView; segment: string; templates: readonly Template[] }

/** The pages of the templates, with this record filled in. */
function DocumentLinks({ table, segment, templates }: DocumentLinksProps) {
  const { documents: words } = useStrings()
  const router = useRouter()
  if (templates.length === 0) return null
  return (
    <>
      <Menu.Label>{words.title}</Menu.Label>
      {templates.map((each) => {
        // The router would write the key 4 as the text "4", including the quotation marks.
        const path = documentPath(each, table, [segment])
        return (
          <Menu.Item key={path} leftSection={<Icon name="file" size={16} />} onClick={() => router.history.push(path)}>
            {templateTitle(each, templates)}
          </Menu.Item>
        )
      })}
      <Menu.Divider />
    </>
  )
}

/** Links to the previous and next record, and the record's menu. */
export function RecordActions(props: RecordActionsProps) {
  const navigate = useNavigate()
  const { table, segment } = props
  const remove = async () => {
    await removeRecord(table, segment)
    await navigate({ to: '/tables/$tableId', params: { tableId: table.id }, ignoreBlocker: true })
  }
  return (
    <>
      <AdjacentLinks table={table} stored={props.stored} />
      <RecordMenu {...props} size="lg" remove={remove} />
    </>
  )
}

type RecordMenuProps = RecordActionsProps & { size?: 'lg'; remove: () => Promise<unknown> }

/** @param remove deletes the record and leaves its page */
export function RecordMenu({ table, segment, stored, size, remove }: RecordMenuProps) {
  const { record: words, links } = useStrings()
  const isViewing = useIsViewing()
  const [openDialog, setOpenDialog] = useState<'share' | 'address' | 'document' | 'delete' | null>(null)
  const close = () => setOpenDialog(null)
  const templates = useTemplates(table)
  const { can } = table
  const cells = can.update ? table.columns.filter(({ type, readOnly }) => type === 'attachment' && !readOnly) : []
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" {...(size ? { size } : {})} aria-label={words.menu}>
            <Icon name="more" {...(size ? {} : { size: 16 })} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {can.create ? (
            <Menu.Item
              leftSection={<Icon name="plus" size={16} />}
              renderRoot={(props) => <Link {...props} to="/tables/$tableId/records/new" params={{ tableId: table.id }} />}
            >
              {words.create}
            </Menu.Item>
          ) : null}
          {isViewing ? null : (
            <Menu.Item leftSection={<Icon name="share" size={16} />} onClick={() => setOpenDialog('share')}>
              {links.share}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<Icon name="code" size={16} />} onClick={() => setOpenDialog('address')}>
            {words.links}
          </Menu.Item>
          {cells.length > 0 && templates.length > 0 ? (
            <Menu.Item leftSection={<Icon name="file" size={16} />} onClick={() => setOpenDialog('document')}>
              {words.document}
            </Menu.Item>
          ) : null}
          <DocumentLinks table={table} segment={segment} templates={templates} />
          {can.delete ? (
            <Menu.Item leftSection={<Icon name="trash" size={16} />} color="var(--app-danger)" onClick={() => setOpenDialog('delete')}>
              {words.delete}
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      <ShareRecordDialog table={table} segment={segment} record={stored.record} isOpen={openDialog === 'share'} close={close} />
      <LinksDialog table={table} segment={segment} isOpen={openDialog === 'address'} close={close} />
      <DocumentDialog
        table={table}
        segment={segment}
        cells={cells}
        templates={templates}
        isOpen={openDialog === 'document'}
        close={close}
      />
      <DeleteDialog table={table} segment={segment} remove={remove} isOpen={openDialog === 'delete'} close={close} />
    </>
  )
}

/** The adjacent records in the list that the record was opened from. Its query is in the URL. */
function AdjacentLinks({ table, stored }: { table: TableView; stored: FetchedRecord }) {
  const { record: words } = useStrings()
  const search = useSearch({ strict: false })
  const list = parseListQuery(validateSearch(search))
  const isKnown = ({ column }: Sort) => table.columns.some(({ name }) => name === column)
  const { data } = useQuery(adjacentRecordsQuery(table, stored.record, { ...list, sort: list.sort.filter(isKnown) }))
  // Prefetched, so that they open immediately.
  useEffect(() => {
    for (const segment of [data?.before, data?.after]) if (segment) void queryClient.prefetchQuery(recordQuery(table, segment))
  }, [table, data])
  return (
    <>
      <AdjacentLink table={table} segment={data?.before} icon="left" label={words.previous} />
      <AdjacentLink table={table} segment={data?.after} icon="right" label={words.next} />
    </>
  )
}

type AdjacentLinkProps = { table: TableView; segment: string | null | undefined; icon: IconName; label: string }

/** Disabled at an end of the list, and rendered at the same place. */
function AdjacentLink({ table, segment, icon, label }: AdjacentLinkProps) {
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
      renderRoot={(props) => <Link {...props} to="/tables/$tableId/records/$pk" params={{ tableId: table.id, pk: segment }} search />}
    >
      <Icon name={icon} />
    </ActionIcon>
  )
}

type DialogProps = { table: TableView; segment: string; isOpen: boolean; close: () => void }

function LinksDialog({ table, segment, isOpen, close }: DialogProps) {
  const { record: words } = useStrings()
  const api = location.origin + recordUrl(table.id, segment)
  const page = useRouter().buildLocation({ to: '/tables/$tableId/records/$pk', params: { tableId: table.id, pk: segment } })
  return (
    <Dialog title={words.links} isOpen={isOpen} close={close} size="lg">
      <div className="form">
        <CopyField label={words.linkToRecord} value={location.origin + page.pathname} />
        <CopyField label={words.apiRequest} value={`curl -H "Authorization: Bearer $TOKEN" ${quotedUrl(api)}`} />
      </div>
    </Dialog>
  )
}

function DeleteDialog({ table, segment, remove, isOpen, close }: DialogProps & Pick<RecordMenuProps, 'remove'>) {
  const { record: words } = useStrings()
  const confirm = async () => {
    await remove()
    queryClient.removeQueries(recordQuery(table, segment))
    await invalidateRecords(table)
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      close={close}
      title={words.deleteTitle}
      text={words.deleteText}
      action={words.delete}
      onConfirm={confirm}
    />
  )
}
