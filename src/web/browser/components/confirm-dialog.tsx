import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useStrings } from '../language'
import { CancelButton, Dialog } from './dialog'
import { Form } from './form/form'

type ConfirmDialogProps = {
  isOpen: boolean
  close: () => void
  title: string
  text: string
  action: string
  onConfirm: () => Promise<unknown>
  /** The text that the user has to type to confirm. */
  name?: string
}

/** Asks for confirmation before a destructive action. Closes on success and shows the error on failure. */
export function ConfirmDialog({ isOpen, close, title, text, action, onConfirm, name }: ConfirmDialogProps) {
  const { shell } = useStrings()
  const [problem, setProblem] = useState('')
  const submit = async ({ typed }: Record<string, string>) => {
    if (name !== undefined && typed !== name) return setProblem(shell.typeToConfirm(name))
    await onConfirm()
    close()
  }
  return (
    <Dialog title={title} isOpen={isOpen} close={close}>
      <Form action={action} submit={submit} isDangerous beside={<CancelButton close={close} />}>
        <p>{text}</p>
        {name === undefined ? null : (
          <TextInput
            name="typed"
            label={shell.typeToConfirm(name)}
            error={problem}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            onChange={() => setProblem('')}
          />
        )}
      </Form>
    </Dialog>
  )
}
