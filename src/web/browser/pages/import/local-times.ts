import { type DateOrder, readDate } from '../../../../tables/notation'

/** A date with a time but no offset. */
export const localTimePattern = /^\s*\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:,\s*|[ T]\s*)\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[ap]m)?\s*$/i

/** The offset of a local time in a time zone, as `+02:00`; null for any other text. */
export function offsetAt(cell: string, timeZone: string, dates: DateOrder = 'ymd'): string | null {
  if (!localTimePattern.test(cell)) return null
  const [, day, hour = '', minute, half] =
    /^(\d{4}-\d\d-\d\d)[T ]+(\d{1,2}):(\d\d)[\d:.]*\s?([ap])?/i.exec(readDate(cell.trim(), dates) ?? '') ?? []
  if (!day) return null
  const hours = half ? (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hour)
  const asUtc = Date.parse(`${day}T${String(hours).padStart(2, '0')}:${minute}Z`)
  if (Number.isNaN(asUtc)) return null
  return nameOf(asUtc - millisecondsOf(nameOf(asUtc, timeZone)), timeZone)
}

const nameOf = (at: number, timeZone: string): string => {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  return parts.find(({ type }) => type === 'timeZoneName')!.value.slice('GMT'.length) || '+00:00'
}

const millisecondsOf = (offset: string): number => {
  const [, sign, hours, minutes, seconds = '0'] = /^([-+])(\d\d):(\d\d)(?::(\d\d))?$/.exec(offset)!
  return (sign === '-' ? -1000 : 1000) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
}
