/** Whether this is the name of a time zone, such as Europe/Berlin. */
export function isTimeZone(text: string): boolean {
  try {
    return /^[A-Za-z]/.test(text) && new Intl.DateTimeFormat('en', { timeZone: text }) !== null
  } catch {
    return false
  }
}

export const timeZoneExpectation = 'the name of a time zone, as Europe/Berlin'
