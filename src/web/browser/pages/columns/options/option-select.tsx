import { Select } from '@mantine/core'
import { useFieldError } from '../../../components/form'

type OptionSelectProps = {
  name: string
  label: string
  description?: string | undefined
  placeholder?: string
  value: string | undefined
  data: { value: string; label: string }[]
  change: (value: string) => void
}

/** One of the values that an option can have; searchable where there are many. */
export function OptionSelect({ name, value, change, ...props }: OptionSelectProps) {
  const problem = useFieldError(name)
  return (
    <Select
      {...props}
      name={name}
      value={value || null}
      onChange={(chosen) => chosen && change(chosen)}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      searchable={props.data.length > 8}
      allowDeselect={false}
      withScrollArea={false}
      classNames={{ options: 'type-options' }}
      error={problem}
      aria-invalid={problem !== undefined}
      required
      withAsterisk={false}
    />
  )
}
