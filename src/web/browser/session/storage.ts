/** @returns null if the browser has nothing stored, forbids storage, or holds text that something else wrote */
export function readItem(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

/** Storage can be forbidden or full: then this browser forgets the value. */
export function writeItem(key: string, value: unknown) {
  try {
    localStorage.setItem(key, JSON.stringify(value))
  } catch {}
}
