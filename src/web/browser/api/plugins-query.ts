import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'

/** For administrators only. */
export const pluginsQuery = queryOptions({ queryKey: ['plugins'], queryFn: async () => (await unwrap(api.plugins.get())).plugins })

export type ListedPlugin =
  NonNullable<typeof pluginsQuery.queryFn> extends (...parameters: never[]) => Promise<(infer Each)[]> | infer _ ? Each : never
