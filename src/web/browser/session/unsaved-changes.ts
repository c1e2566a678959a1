/** What was typed and is not with the service yet: `busy` on its way, `unsent` until the service can be reached again. In records. */
type Unsaved = { busy: number; unsent: number }

/** Who keeps something, on whatever page, and how that is given up. */
type Keeper = { abandon: () => void }

const kept = new Map<Keeper, Unsaved>()
const listeners = new Set<() => void>()

export function setUnsaved(keeper: Keeper, unsaved: Unsaved) {
  unsaved.busy + unsaved.unsent > 0 ? kept.set(keeper, unsaved) : kept.delete(keeper)
  for (const listener of listeners) listener()
}

/** Somebody else may work here next: what one person has typed is not sent in the name of another. */
export function abandonUnsaved() {
  for (const keeper of kept.keys()) keeper.abandon()
}

export const unsentCount = (): number => [...kept.values()].reduce((sum, { unsent }) => sum + unsent, 0)

export function subscribeToUnsaved(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

// It outlives the page that it was typed on, and not the window.
window.addEventListener('beforeunload', (event) => kept.size > 0 && event.preventDefault())
