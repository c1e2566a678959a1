import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client'

/** A user's name. Neither people who have left nor service users are offered as options. */
export type Person = { id: string; name: string; isOffered: boolean }

/** All users by name. */
export const peopleQuery = queryOptions({
  queryKey: ['people'],
  staleTime: 60_000,
  queryFn: async (): Promise<Person[]> => {
    const { users } = await unwrap(api.users.names.get())
    const counts = Map.groupBy(users, ({ name }) => name)
    // Users with the same name are distinguished by the end of their id.
    const labelOf = (id: string, name: string) => (counts.get(name)!.length > 1 ? `${name} (${id.slice(-4)})` : name)
    return users.map(({ id, name, kind, disabled }) => ({ id, name: labelOf(id, name), isOffered: kind === 'person' && !disabled }))
  },
})
