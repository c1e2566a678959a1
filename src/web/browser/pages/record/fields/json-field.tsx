import { Textarea } from '@mantine/core'
import { useStrings } from '../../../language'
import { jsonOf } from './field-draft'
import { controlOf, type FieldProps } from './field-props'

/** JSON as text. It is told while typing whether it is any. */
export function JsonField(props: FieldProps) {
  const { record } = useStrings()
  const text = String(props.draft ?? '')
  const isWrong = jsonOf(props.column, text) === null
  return (
    <Textarea
      {...controlOf(props)}
      error={props.problem ?? (isWrong ? record.invalidJson(placeOf(text)) : undefined)}
      aria-invalid={isWrong || props.problem !== undefined}
      classNames={{ input: 'mono' }}
      autosize
      minRows={3}
      maxRows={20}
      spellCheck={false}
      value={text}
      onChange={(event) => props.change(event.currentTarget.value)}
    />
  )
}

/** The line at which reading ends, as the browser says it: "at position 12", "at line 2"; 0 where it says nothing. */
function placeOf(text: string): number {
  try {
    JSON.parse(text)
    return 0
  } catch (error) {
    const [, line] = /line (\d+)/.exec(String(error)) ?? []
    const [, position] = /position (\d+)/.exec(String(error)) ?? []
    return line ? Number(line) : position ? text.slice(0, Number(position)).split('\n').length : 0
  }
}
