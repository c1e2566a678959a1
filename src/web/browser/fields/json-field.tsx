import { Textarea } from '@mantine/core'
import { useStrings } from '../language'
import { toJson } from './field-draft'
import { controlProps, type FieldProps } from './field-props'

/** A JSON editor that validates while typing. */
export function JsonField(props: FieldProps) {
  const { record } = useStrings()
  const text = String(props.draft ?? '')
  const isWrong = toJson(props.column, text) === null
  return (
    <Textarea
      {...controlProps(props)}
      error={props.error ?? (isWrong ? record.invalidJson(errorLine(text)) : undefined)}
      aria-invalid={isWrong || props.error !== undefined}
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

/** The line of the parse error, from the browser's message ("at position 12", "at line 2"); 0 if unknown. */
function errorLine(text: string): number {
  try {
    JSON.parse(text)
    return 0
  } catch (error) {
    const [, line] = /line (\d+)/.exec(String(error)) ?? []
    const [, position] = /position (\d+)/.exec(String(error)) ?? []
    return line ? Number(line) : position ? text.slice(0, Number(position)).split('\n').length : 0
  }
}
