import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core'
import { useStrings } from '../../language'
import { useFieldError } from './form'

// Screen readers announce a field error when it appears.
const errorProps = { role: 'alert' } as const

/** A text field that shows the server's error for it. */
export function TextField(props: TextInputProps & { name: string }) {
  const problem = useFieldError(props.name)
  return <TextInput error={problem} errorProps={errorProps} aria-invalid={problem !== undefined} {...props} />
}

/** The only or first field of a dialog that makes or renames something. */
export const DialogNameField = ({ label, name }: { label: string; name?: string }) => (
  <TextField
    name="name"
    label={label}
    defaultValue={name}
    required
    withAsterisk={false}
    maxLength={100}
    autoComplete="off"
    data-autofocus
  />
)

export function PasswordField(props: PasswordInputProps & { name: string }) {
  const { entry } = useStrings()
  const problem = useFieldError(props.name)
  return (
    <PasswordInput
      error={problem}
      aria-invalid={problem !== undefined}
      errorProps={errorProps}
      required
      withAsterisk={false}
      maxLength={256}
      autoComplete="current-password"
      {...props}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': entry.showPassword }}
    />
  )
}
