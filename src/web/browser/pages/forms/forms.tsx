import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { FormDefinition } from '../../../../forms/model'
import type { TableView } from '../../../../tables/model'
import { api, unwrap } from '../../api/client'
import { queryClient } from '../../api/queries'
import { BackToTable } from '../../components/back-to-table'
import { CopyField } from '../../components/code/copy-field'
import { ConfirmDialog } from '../../components/confirm-dialog'
import { Icon } from '../../components/icon'
import { Await, EmptyState } from '../../components/query-state'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'
import { TablePage } from '../../layout/table-page'
import { formsQuery } from './form-draft'
import { FormEditor } from './form-editor'
import { FormProblems } from './form-problems'

/** The public forms of a table, for administrators. */
export function FormsPage() {
  const { tableId } = useParams({ from: '/app/tables/$tableId/forms' })
  return <TablePage tableId={tableId}>{(table) => <TableForms key={table.id} table={table} />}</TablePage>
}

function TableForms({ table }: { table: TableView }) {
  const { forms: words } = useStrings()
  const query = useQuery(formsQuery)
  const [edited, setEdited] = useState<FormDefinition | 'new' | null>(null)
  const names = query.data?.map(({ name }) => name) ?? []
  const button = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setEdited('new')}>
      {words.create}
    </Button>
  )
  return (
    <Page title={words.title(table.name)} isNarrow above={<BackToTable table={table} note="" />} actions={button}>
      <Await query={query} lines={6}>
        {(all) => {
          const forms = all.filter((form) => form.table.id === table.id)
          if (forms.length === 0) return <EmptyState icon="text" title={words.none} text={words.noneText} />
          return (
            <ul className="rows">
              {forms.map((form) => (
                <FormRow key={form.id} table={table} form={form} edit={() => setEdited(form)} />
              ))}
            </ul>
          )
        }}
      </Await>
      {edited ? (
        <FormEditor table={table} names={names} close={() => setEdited(null)} {...(edited === 'new' ? {} : { form: edited })} />
      ) : null}
    </Page>
  )
}

function FormRow({ table, form, edit }: { table: TableView; form: FormDefinition; edit: () => void }) {
  const { forms: words, columns } = useStrings()
  const [isDeleting, setDeleting] = useState(false)
  const remove = async () => {
    await unwrap(api['form-definitions']({ name: form.name }).delete())
    await queryClient.invalidateQueries(formsQuery)
  }
  return (
    <li>
      <div>
        <h2>{form.title}</h2>
        <p className="facts">{[words.count(form.submissions), ...(form.isClosed ? [words.closed] : [])].join(' · ')}</p>
        <FormProblems table={table} form={form} />
        <CopyField label={words.address} value={form.url} />
        <p className="row-actions">
          <Button variant="default" size="xs" onClick={edit} aria-label={words.edit(form.title)}>
            {columns.edit}
          </Button>
          <Button variant="default" size="xs" onClick={() => setDeleting(true)}>
            {words.delete}
          </Button>
          <Anchor href={`/f/${form.name}`} target="_blank" rel="noreferrer">
            {words.open}
          </Anchor>
        </p>
      </div>
      <ConfirmDialog
        isOpen={isDeleting}
        close={() => setDeleting(false)}
        title={words.deleteTitle(form.title)}
        text={words.deleteText}
        action={words.delete}
        onConfirm={remove}
      />
    </li>
  )
}
