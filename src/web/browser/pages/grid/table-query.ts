import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../../api'

export const tableQuery = (tableId: string) =>
  queryOptions({ queryKey: ['tables', tableId], queryFn: () => take(api.tables({ tableId: encodeURIComponent(tableId) }).get()) })
