import { ActionIcon } from '@mantine/core'
import { type KeyboardEvent, useRef } from 'react'
import { Icon } from '../components/icon'
import { useStrings } from '../language'
import { toLocalTimestamp } from '../values/timestamps'
import { readTypedDate } from '../values/typed-dates'
import { UnreadableInput } from '../values/unreadable-input'

type CalendarOptions = {
  /** The value's kind: `date` and `dateTime` have a calendar. */
  kind: string
  /** The text of the input beside it. */
  text: string
  /** Receives the day in ISO form, with a time in the browser's time zone. */
  pick: (date: string) => void
  /** Whether Tab reaches the button, too. */
  isTabStop: boolean
}

/**
 * The browser's calendar for a text input, opened by a button or Alt+Down. The browser's own date input would show its
 * date in the browser's language, so it stays hidden.
 */
export function useCalendar({ kind, text, pick, isTabStop }: CalendarOptions) {
  const { grid } = useStrings()
  const input = useRef<HTMLInputElement>(null)
  if (kind !== 'date' && kind !== 'dateTime') return null
  const open = () => {
    const read = readTypedDate(kind, text)
    // The browser's input supports neither microseconds nor offsets.
    const toInput = (value: string) =>
      kind === 'dateTime' ? toLocalTimestamp(value.replace(/(\.\d{3})\d+/, '$1')).replace(/[-+]\d\d:\d\d$/, '') : value
    input.current!.value = read instanceof UnreadableInput ? '' : toInput(read)
    input.current!.showPicker()
  }
  const openByKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' || !event.altKey) return false
    event.preventDefault()
    open()
    return true
  }
  const button = (
    <span className="calendar">
      <ActionIcon
        size={24}
        variant="subtle"
        color="gray"
        aria-label={grid.openCalendar}
        tabIndex={isTabStop ? undefined : -1}
        // The text input keeps the focus.
        onMouseDown={(event) => event.preventDefault()}
        onClick={open}
      >
        <Icon name="calendar" size={15} />
      </ActionIcon>
      <input
        ref={input}
        type={kind === 'date' ? 'date' : 'datetime-local'}
        // Otherwise the form would refuse a value with seconds.
        step="any"
        className="visually-hidden"
        aria-hidden="true"
        tabIndex={-1}
        onChange={(event) => pick(event.currentTarget.value)}
      />
    </span>
  )
  return { button, openByKey }
}
