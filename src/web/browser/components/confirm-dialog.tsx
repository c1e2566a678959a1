import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useStrings } from '../language'
import { CancelButton, Dialog } from './dialog'
import { Form } from './form'

type ConfirmProps = {
  isOpen: boolean
  close: () => void
  title: string
  text: string
  action: string
  work: () => Promise<unknown>
  /** What has to be typed, for what cannot be undone and is worth a pause. */
  name?: string
}

/** Asks once before something is gone for good. It closes when it is done, and says why when it failed. */
export function Confirm({ isOpen, close, title, text, action, work, name }: ConfirmProps) {
  const { shell } = useStrings()
  const [problem, setProblem] = useState('')
  const submit = async ({ typed }: Record<string, string>) => {
    if (name !== undefined && typed !== name) return setProblem(shell.typeToConfirm(name))
    await work()
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
