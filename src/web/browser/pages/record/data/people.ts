import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../../../api/client'

/** `isGone` may sign in no more, and is not proposed. */
export type Person = { id: string; name: string; isGone: boolean }

/** Everybody by name. */
export const peopleQuery = queryOptions({
  queryKey: ['people'],
  staleTime: 60_000,
  queryFn: async (): Promise<Person[]> => {
    const { users } = await take(api.users.names.get())
    const counts = Map.groupBy(users, ({ name }) => name)
    // Of two people with one name, the end of the id says which.
    const told = (id: string, name: string) => (counts.get(name)!.length > 1 ? `${name} (${id.slice(-4)})` : name)
    return users.map(({ id, name, disabled }) => ({ id, name: told(id, name), isGone: disabled }))
  },
})
