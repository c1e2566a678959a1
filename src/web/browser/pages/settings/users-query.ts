import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client'

export const usersQuery = queryOptions({ queryKey: ['users'], queryFn: async () => (await unwrap(api.users.get())).users })
