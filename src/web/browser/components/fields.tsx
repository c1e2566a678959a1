import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core'
import { useStrings } from '../language'
import { useFieldProblem } from './form'

// The words of a refusal are spoken when they appear.
const errorProps = { role: 'alert' } as const

/** A line of text that shows what the service has said of it. */
export function TextField(props: TextInputProps & { name: string }) {
  const problem = useFieldProblem(props.name)
  return <TextInput error={problem} errorProps={errorProps} aria-invalid={problem !== undefined} {...props} />
}

export function PasswordField(props: PasswordInputProps & { name: string }) {
  const { entry } = useStrings()
  const problem = useFieldProblem(props.name)
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
