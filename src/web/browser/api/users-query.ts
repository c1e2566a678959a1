import { queryOptions } from '@tanstack/react-query'
import type { User } from '../../../auth/model'
import { api, unwrap } from './client'

export const usersQuery = queryOptions({ queryKey: ['users'], queryFn: async () => (await unwrap(api.users.get())).users })

/** What a user is called in a heading. */
export const userTitle = ({ name, email }: User): string => name || email

/** What tells a user from others. The address of a service user says nothing to people. */
export const userLabel = ({ kind, name, email }: User): string => (kind === 'service' ? name : email)
