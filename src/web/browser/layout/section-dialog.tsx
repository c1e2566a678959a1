import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { CancelButton, Dialog } from '../components/dialog'
import { TextField } from '../components/form/fields'
import { Form, type FormValues } from '../components/form/form'
import { useStrings } from '../language'
import type { TableDialogsProps } from './lazy-dialogs'

type SectionDialogProps = Omit<TableDialogsProps, 'open'> & { isOpen: boolean }

export function SectionDialog({ isOpen, close, table, ...props }: SectionDialogProps) {
  const { tables } = useStrings()
  return (
    <Dialog title={tables.sectionTitle(table.name)} isOpen={isOpen} close={close}>
      <SectionForm table={table} close={close} {...props} />
    </Dialog>
  )
}

/** Sections are selected by index, since a section may have any name. */
function SectionForm({ table, close, move, ...props }: Omit<SectionDialogProps, 'isOpen'>) {
  const { tables } = useStrings()
  // Keep the initial list, which may change while the dialog is open.
  const [sections] = useState(props.sections)
  const [choice, setChoice] = useState(sections.length === 0 ? 'new' : String(sections.indexOf(table.section ?? '')))
  const submit = async ({ section = '' }: FormValues) => {
    await move(choice === 'new' ? section : (sections[Number(choice)] ?? null))
    close()
  }
  return (
    <Form action={tables.move} submit={submit} beside={<CancelButton close={close} />}>
      {sections.length === 0 ? null : (
        <NativeSelect
          label={tables.section}
          value={choice}
          onChange={(event) => setChoice(event.currentTarget.value)}
          data={[
            { value: '-1', label: tables.noSection },
            ...sections.map((label, index) => ({ value: String(index), label })),
            { value: 'new', label: tables.newSection },
          ]}
          data-autofocus
        />
      )}
      {choice === 'new' ? (
        <TextField
          name="section"
          label={tables.sectionName}
          required
          withAsterisk={false}
          maxLength={100}
          autoComplete="off"
          data-autofocus
        />
      ) : null}
    </Form>
  )
}
