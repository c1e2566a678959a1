import { CellMutations } from './cell-mutations'

const mutationsByPlace = new Map<string, CellMutations>()

/** A user's mutations of a table. Pending writes and the history outlive the page, but not the window. */
export function mutationsFor(userId: string, tableId: string): CellMutations {
  const place = `${userId} ${tableId}`
  const current = mutationsByPlace.get(place)
  if (current && !current.isDiscarded) return current
  const created = new CellMutations(tableId)
  mutationsByPlace.set(place, created)
  return created
}
