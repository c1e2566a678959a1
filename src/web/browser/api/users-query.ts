import { queryOptions } from '@tanstack/react-query'
import type { User } from '../../../auth/model'
import { api, unwrap } from './client'

export const usersQuery = queryOptions({ queryKey: ['users'], queryFn: async () => (await unwrap(api.users.get())).users })

/** The name of a user in headings. */
export const userTitle = ({ name, email }: User): string => name || email

/**
 * A label that distinguishes users: the e-mail address or, for a service user, the name, since its address means
 * nothing.
 */
export const userLabel = ({ kind, name, email }: User): string => (kind === 'service' ? name : email)
