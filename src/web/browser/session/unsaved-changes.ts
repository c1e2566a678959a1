/**
 * The number of records with unsaved changes: `busy` are being sent, `unsent` wait until the service can be reached.
 */
type Unsaved = { busy: number; unsent: number }

/** An object that holds unsaved changes and can discard them. */
type UnsavedSource = { discard: () => void }

const unsavedBySource = new Map<UnsavedSource, Unsaved>()
const listeners = new Set<() => void>()

export function setUnsaved(keeper: UnsavedSource, unsaved: Unsaved) {
  unsaved.busy + unsaved.unsent > 0 ? unsavedBySource.set(keeper, unsaved) : unsavedBySource.delete(keeper)
  for (const listener of listeners) listener()
}

/** Another user may sign in next: changes of one user are never sent in the name of another. */
export function discardUnsaved() {
  for (const keeper of unsavedBySource.keys()) keeper.discard()
}

export const unsentCount = (): number => [...unsavedBySource.values()].reduce((sum, { unsent }) => sum + unsent, 0)

export function subscribeToUnsaved(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

let isAnotherUser = false

/** The browser's session now belongs to another user: forms, too, discard their changes without asking. */
export function reloadForAnotherUser() {
  isAnotherUser = true
  discardUnsaved()
  location.reload()
}

// Unsaved changes outlive their page, but not the window. The router adds its own listener later.
window.addEventListener(
  'beforeunload',
  (event) => {
    if (isAnotherUser) event.stopImmediatePropagation()
    else if (unsavedBySource.size > 0) event.preventDefault()
  },
  true,
)
