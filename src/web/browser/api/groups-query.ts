import { queryOptions } from '@tanstack/react-query'
import type { Group, GroupFilter } from '../../../access/groups/model'
import { api, unwrap } from './client'
import { queryClient } from './queries'
import { usersQuery } from './users-query'

/** All groups: rules and dialogs offer all names. */
export const groupsQuery = queryOptions({ queryKey: ['groups'], queryFn: readAllGroups })

const groupsPerPage = 1000

async function readAllGroups(): Promise<Group[]> {
  const groups: Group[] = []
  let cursor: string | null = null
  do {
    const query: GroupFilter = { limit: groupsPerPage, ...(cursor === null ? {} : { cursor }) }
    const page = await unwrap(api.groups.get({ query }))
    groups.push(...page.groups)
    cursor = page.nextCursor
  } while (cursor !== null)
  return groups
}

/** The list of users shows their groups, too. */
export const refreshGroups = () => Promise.all([queryClient.invalidateQueries(groupsQuery), queryClient.invalidateQueries(usersQuery)])
