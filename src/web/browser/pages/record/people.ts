import { queryOptions } from '@tanstack/react-query'
import type { User } from '../../../../auth/model'
import { api, take } from '../../api'

type Person = { id: string; name: string }

const personOf = ({ id, name, email }: User): Person => ({ id, name: name || email })

/** The users by name. Only administrators may list them; others know themselves. */
export const peopleQuery = (me: User) =>
  queryOptions({
    queryKey: ['people', me.id],
    staleTime: 60_000,
    queryFn: async (): Promise<Person[]> => {
      if (me.role !== 'admin') return [personOf(me)]
      const { users } = await take(api.users.get())
      return users.map(personOf)
    },
  })
