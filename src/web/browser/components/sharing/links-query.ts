import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client'
import { queryClient } from '../../api/queries'

/** Links to a table and its records, or to one record; without a table all of the user’s own. `pk` is as in a path. */
export type LinksOf = { table?: string; pk?: string }

export const linksQuery = (of: LinksOf) =>
  queryOptions({
    queryKey: ['links', of],
    // Others open links meanwhile.
    staleTime: 0,
    queryFn: async () => (await unwrap(api.links.get({ query: { ...of, limit: 1000 } }))).links,
  })

export const invalidateLinks = () => queryClient.invalidateQueries({ queryKey: ['links'] })
