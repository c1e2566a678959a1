/** The storage of the browser, or of the tab. */
type Storage = 'localStorage' | 'sessionStorage'

/** @returns null if the browser has nothing stored, forbids storage, or holds text that something else wrote */
export function readItem(key: string, storage: Storage = 'localStorage'): unknown {
  try {
    return JSON.parse(window[storage].getItem(key) ?? 'null')
  } catch {
    return null
  }
}

/** Removes everything that the tab has stored. */
export function clearTabStorage() {
  try {
    window.sessionStorage.clear()
  } catch {}
}

/** Storage can be forbidden or full: then this browser forgets the value. */
export function writeItem(key: string, value: unknown, storage: Storage = 'localStorage') {
  try {
    window[storage].setItem(key, JSON.stringify(value))
  } catch {}
}
