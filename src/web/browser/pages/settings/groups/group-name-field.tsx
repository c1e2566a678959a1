import { TextField } from '../../../components/form/fields'
import { useStrings } from '../../../language'

export function GroupNameField({ name }: { name?: string }) {
  const { groups: words } = useStrings()
  return (
    <TextField
      name="name"
      label={words.name}
      defaultValue={name}
      required
      withAsterisk={false}
      maxLength={100}
      autoComplete="off"
      data-autofocus
    />
  )
}
