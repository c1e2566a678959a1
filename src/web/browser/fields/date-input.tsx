import { TextInput, type TextInputProps } from '@mantine/core'
import { useState } from 'react'
import { useStrings } from '../language'
import type { TimeForm } from '../values/format'
import { toLocalTimestamp } from '../values/timestamps'
import { type DateKind, datePattern, dateProblem, readTypedDate, toTypedDate } from '../values/typed-dates'
import { UnreadableInput } from '../values/unreadable-input'
import { useCalendar } from './use-calendar'

type DateInputProps = Omit<TextInputProps, 'value' | 'onChange' | 'type'> & {
  kind: DateKind
  /** In ISO format, with a time in the browser's time zone; text that is not a date stays as typed. */
  value: string
  /** @param isPartial whether the text is not, or not yet, a date */
  change: (value: string, isPartial: boolean) => void
  format?: TimeForm
}

/** A date, a time or both, typed in the user's language or picked from a calendar. */
export function DateInput({ kind, value, change, format, error, ...props }: DateInputProps) {
  const { grid, record } = useStrings()
  const [typed, setTyped] = useState<string | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const text = typed ?? toTypedDate(kind, value, format)
  const type = (next: string) => {
    setTyped(next)
    const read = next.trim() === '' ? '' : readTypedDate(kind, next)
    if (read instanceof UnreadableInput) change(next, true)
    else change(kind === 'dateTime' ? toLocalTimestamp(read) : read, false)
  }
  const finish = () => {
    if (typed === null) return
    setTyped(null)
    const isUnreadable = dateProblem(grid.inputProblems, kind, typed) !== undefined
    setRefused(isUnreadable ? typed : null)
    if (isUnreadable) change(typed, false)
  }
  const pick = (date: string) => {
    setTyped(null)
    change(date, false)
  }
  const calendar = useCalendar({ kind, text, pick, isTabStop: true })
  const problem = error ?? (typed === null && refused === value ? dateProblem(grid.inputProblems, kind, value) : undefined)
  return (
    <TextInput
      {...props}
      autoComplete="off"
      placeholder={kind === 'date' ? datePattern(record.dateParts) : undefined}
      rightSection={calendar?.button}
      value={text}
      error={problem}
      aria-invalid={problem !== undefined}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={calendar?.openByKey}
      onBlur={finish}
    />
  )
}
