import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core'
import { type ComponentProps, useState } from 'react'
import { useStrings } from '../../language'
import { useFieldError, useHasFieldError } from './form'

// Screen readers announce a field error when it appears.
const errorProps = { role: 'alert' } as const

/** A text field that shows the server's error for it. */
export function TextField(props: TextInputProps & { name: string }) {
  const problem = useFieldError(props.name)
  return <TextInput error={problem} errorProps={errorProps} aria-invalid={problem !== undefined} {...props} />
}

type FoldedFieldsProps = ComponentProps<'details'> & { names: readonly string[]; isInitiallyOpen?: boolean }

/** Fields that few users need. Opens when one of them has an error. */
export function FoldedFields({ names, isInitiallyOpen = false, ...props }: FoldedFieldsProps) {
  const [isOpen, setOpen] = useState(isInitiallyOpen)
  const hasError = useHasFieldError(names)
  return (
    <details
      {...props}
      open={isOpen || hasError}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      // The browser cannot point at an invalid field that is folded away: it would silently refuse to submit the form.
      onInvalidCapture={({ currentTarget }) => {
        currentTarget.open = true
      }}
    />
  )
}

/** The only or first field of a dialog that creates or renames something. */
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
