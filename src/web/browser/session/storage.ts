/** The storage of the browser, or of the tab. */
type Storage = 'localStorage' | 'sessionStorage'

/** @returns null if nothing is stored, the browser forbids storage, or the text was written by something else */
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

/** If storage is forbidden or full, the value is not stored. */
export function writeItem(key: string, value: unknown, storage: Storage = 'localStorage') {
  try {
    window[storage].setItem(key, JSON.stringify(value))
  } catch {}
}
