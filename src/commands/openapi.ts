import { createApp } from '../app'
import { createEvents } from '../ops/log/events'
import { createDeps } from './bootstrap'
import type { Command } from './command'

export const openapiCommand: Command = {
  name: 'openapi',
  summary: 'Print the API description (OpenAPI 3.1, JSON).',
  description: 'Prints what GET /swagger/json answers for all routes, without tables, and starts nothing.',
  settings: [],
  run: async ({ config }) => {
    // The first query would open a connection, and there is none.
    const target = { socketPath: '/nonexistent', user: 'nobody', database: 'none' }
    const { describeApi } = await import('../web/openapi/description')
    console.log(JSON.stringify(await describeApi(createApp(createDeps(config, createEvents(), target, () => true))), null, 2))
    return 0
  },
}
