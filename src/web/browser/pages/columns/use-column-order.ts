import { useRef, useState } from 'react'
import type { TableView } from '../../../../tables/model'
import type { ColumnInfo } from '../../records/values/column'
import { invalidateTable, updateColumn } from '../../records/values/column-data'

const moved = (ids: readonly string[], id: string, to: number): string[] => {
  const others = ids.filter((each) => each !== id)
  return others.toSpliced(to, 0, id)
}

/** The columns in their order. Moves are shown at once, and sent one after the other. */
export function useColumnOrder(table: TableView) {
  const [order, setOrder] = useState<readonly string[] | null>(null)
  const [error, setError] = useState<unknown>(null)
  const latest = useRef<readonly string[]>([])
  const queue = useRef<Promise<unknown>>(Promise.resolve())

  const byId = new Map(table.columns.map((column) => [column.id, column]))
  const ids = order ?? table.columns.map(({ id }) => id)
  const columns = ids.flatMap((id) => byId.get(id) ?? [])

  const move = (column: ColumnInfo, to: number) => {
    const next = moved(ids, column.id, to)
    latest.current = next
    setOrder(next)
    setError(null)
    queue.current = queue.current.then(async () => {
      try {
        await updateColumn(table, column, { position: to })
      } catch (problem) {
        setError(problem)
      }
      if (latest.current !== next) return
      await invalidateTable()
      setOrder(null)
    })
  }
  return { columns, move, error }
}
