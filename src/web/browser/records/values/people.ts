import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client'

/** A user's name. A disabled user is not offered as an option. */
export type Person = { id: string; name: string; isDisabled: boolean }

/** All users by name. */
export const peopleQuery = queryOptions({
  queryKey: ['people'],
  staleTime: 60_000,
  queryFn: async (): Promise<Person[]> => {
    const { users } = await unwrap(api.users.names.get())
    const counts = Map.groupBy(users, ({ name }) => name)
    // Users with the same name are distinguished by the end of their id.
    const labelOf = (id: string, name: string) => (counts.get(name)!.length > 1 ? `${name} (${id.slice(-4)})` : name)
    return users.map(({ id, name, disabled }) => ({ id, name: labelOf(id, name), isDisabled: disabled }))
  },
})
