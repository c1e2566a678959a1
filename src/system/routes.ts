import { Elysia } from 'elysia'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import { SystemView } from './model'
import { readSystem } from './service'

export const systemRoutes = (deps: Deps) =>
  new Elysia({ name: 'system/routes', prefix: '/api/v1/system', tags: ['health'] }).use(authHooks(deps)).get('/', () => readSystem(deps), {
    role: 'admin',
    response: SystemView,
    detail: { summary: 'Database and storage', description: 'The database and the storage of the service, and their sizes.' },
  })
