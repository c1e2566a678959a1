import { CellMutations } from './cell-mutations'

const mutationsByTable = new Map<string, CellMutations>()

/** The mutations of each table. Pending writes outlive the page. */
export function mutationsFor(tableId: string): CellMutations {
  const current = mutationsByTable.get(tableId)
  if (current?.hasPending) return current
  const created = new CellMutations(tableId)
  mutationsByTable.set(tableId, created)
  return created
}
