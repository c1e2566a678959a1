import { useGridModel } from '../model/grid-model'

/** The columns of the open view, in its order. A grant in the database may exclude some of them from reading. */
export const useVisibleColumns = (): string[] => {
  const { columns, table } = useGridModel()
  return columns.map(({ column }) => column.name).filter((name) => table.can.columns.read.includes(name))
}
