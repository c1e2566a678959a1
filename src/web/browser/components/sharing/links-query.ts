import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client'
import { queryClient } from '../../api/queries'

/** Links to a table and its records, or to one record; without a table, all of the user’s. `pk` is a path segment. */
export type LinksOf = { table?: string; pk?: string }

export const linksQuery = (of: LinksOf) =>
  queryOptions({
    queryKey: ['links', of],
    // Opening a link elsewhere changes its count.
    staleTime: 0,
    queryFn: async () => (await unwrap(api.links.get({ query: { ...of, limit: 1000 } }))).links,
  })

export const invalidateLinks = () => queryClient.invalidateQueries({ queryKey: ['links'] })
