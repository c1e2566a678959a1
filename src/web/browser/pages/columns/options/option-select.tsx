import { Select } from '@mantine/core'
import { useEffect } from 'react'
import { useFieldError } from '../../../components/form/form'

type OptionSelectProps = {
  name: string
  label: string
  description?: string | undefined
  placeholder?: string
  value: string | undefined
  data: { value: string; label: string }[]
  change: (value: string) => void
}

/** A select for the value of an option: searchable if there are many, preselected if there is only one. */
export function OptionSelect({ name, value, change, ...props }: OptionSelectProps) {
  const problem = useFieldError(name)
  const only = value || props.data.length !== 1 ? undefined : props.data[0]!.value
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the single option matters
  useEffect(() => {
    if (only !== undefined) change(only)
  }, [only])
  return (
    <Select
      {...props}
      name={name}
      value={value || null}
      onChange={(chosen) => chosen && change(chosen)}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      searchable={props.data.length > 8}
      selectFirstOptionOnChange
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
