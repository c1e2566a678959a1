import type { TableView } from '../../../../tables/model'
import { useUser } from '../../api/use-user'
import { userTitle } from '../../api/users-query'
import { useStrings } from '../../language'

const writes = ['create', 'update', 'delete'] as const

/** While an administrator views Rowhouse as a user: what that user may do with the table, as a mark and a sentence. */
export function useViewedRights({ can, readOnly }: TableView): { mark: string; text: string } | null {
  const { grid } = useStrings()
  const name = userTitle(useUser())
  const { viewedUser } = can
  if (!viewedUser || readOnly) return null
  const mark = grid.viewedMay(
    name,
    writes.filter((action) => viewedUser[action]),
  )
  return { mark, text: grid.whileViewing(name, mark) }
}
