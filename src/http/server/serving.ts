import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import { isPageAddress, startingPage } from '../request/navigation'
import { pathOf } from '../request/url'

const always = /^(\/api\/v1)?\/(healthz|readyz|version)\/?$/

/**
 * Until the database is ready, only the health checks answer. After that, requests are always served, even those that
 * arrive during the shutdown.
 */
export const onceServing = ({ isServing }: Pick<Deps, 'isServing'>) => {
  let hasBegun = false
  return new Elysia({ name: 'http/server/serving' }).onRequest(({ request }) => {
    hasBegun ||= isServing()
    if (hasBegun || always.test(pathOf(request.url))) return
    if (isPageAddress(request)) return startingPage(request)
    throw unavailable(translatable('The service is starting.'))
  })
}
