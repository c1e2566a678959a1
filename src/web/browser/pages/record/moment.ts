/**
 * A moment as a control of the type `datetime-local` takes it, in the zone of the browser; without the parts of a second that are none.
 * @param time RFC 3339
 */
export function localMoment(time: string): string {
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) return ''
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const milliseconds = at.getMilliseconds() ? `.${String(at.getMilliseconds()).padStart(3, '0')}` : ''
  const seconds = at.getSeconds() || milliseconds ? `:${two(at.getSeconds())}${milliseconds}` : ''
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}${seconds}`
}

/** The other way: a moment in UTC, or the text as it is when it is none. */
export function utcMoment(local: string): string {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? local : at.toISOString()
}

/** "Europe/Berlin". */
export const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
