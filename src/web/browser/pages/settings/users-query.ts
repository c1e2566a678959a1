import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../../api/client'

export const usersQuery = queryOptions({ queryKey: ['users'], queryFn: async () => (await take(api.users.get())).users })
