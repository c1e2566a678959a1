import { useGridModel } from '../model/grid-model'

/** The columns of the open view, in its order. */
export const useVisibleColumns = (): string[] => useGridModel().columns.map(({ column }) => column.name)
