import { Button, Checkbox } from '@mantine/core'
import type { ReactNode } from 'react'
import { ConfirmDialog } from '../../../../components/confirm-dialog'
import { CancelButton, Dialog } from '../../../../components/dialog'
import { DialogNameField } from '../../../../components/form/fields'
import { Form, type FormValues } from '../../../../components/form/form'
import { useStrings } from '../../../../language'
import { useGridModel } from '../../model/grid-model'
import { useNamedViews } from './use-named-views'

type ViewDialog = 'create' | 'rename' | 'remove' | 'conflict'

export type ViewDialogsProps = { shown: ViewDialog | null; open: (dialog: ViewDialog | null) => void }

/** The dialogs that the menu of views opens. */
export function ViewDialogs({ shown, open }: ViewDialogsProps) {
  const { grid, record, tables } = useStrings()
  const { canShare, create, rename, remove, discard } = useNamedViews()
  const { named } = useGridModel().view
  const { views } = grid
  const close = () => open(null)
  return (
    <>
      <Dialog title={views.created} isOpen={shown === 'create'} close={close}>
        <NameForm action={record.save} submit={({ name = '', isShared }) => create(name, isShared !== undefined)} close={close}>
          {canShare ? <Checkbox name="isShared" label={views.shared} /> : null}
        </NameForm>
      </Dialog>
      <Dialog title={views.rename} isOpen={shown === 'rename'} close={close}>
        <NameForm action={tables.rename} name={named?.name} submit={({ name = '' }) => rename(name)} close={close} />
      </Dialog>
      <ConfirmDialog
        isOpen={shown === 'remove'}
        close={close}
        title={tables.deleteTitle(named?.name ?? '')}
        text={views.removeText(named?.isShared)}
        action={views.remove}
        onConfirm={remove}
      />
      <Dialog title={grid.conflictTitle} isOpen={shown === 'conflict'} close={close}>
        <Form
          action={views.reload}
          submit={() => discard().then(close)}
          beside={
            <Button variant="default" onClick={() => open('create')}>
              {views.create}
            </Button>
          }
        >
          <p>{views.conflictText}</p>
        </Form>
      </Dialog>
    </>
  )
}

type NameFormProps = {
  action: string
  name?: string
  submit: (values: FormValues) => Promise<unknown>
  close: () => void
  children?: ReactNode
}

function NameForm({ action, name, submit, close, children }: NameFormProps) {
  const { tables } = useStrings()
  return (
    <Form action={action} submit={(values) => submit(values).then(close)} beside={<CancelButton close={close} />}>
      <DialogNameField label={tables.name} name={name} />
      {children}
    </Form>
  )
}
