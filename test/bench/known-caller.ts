import { createHandler, dialects } from '../../src/app'
import { hashSecret } from '../../src/auth/secret'
import { createDeps } from '../../src/commands/bootstrap'
import { serve } from '../../src/http/server/serve'
import { createEvents } from '../../src/ops/log/events'
import { readConfig } from '../../src/ops/settings/config'

/**
 * The app from its sources on the database of a running service: `known-caller.ts <socket> <token> asked|known` prints
 * its address.
 * `asked` is as it is. `known` asks the database once who the token belongs to and answers from memory after that: what
 * is left of
 * authentication in it is reading the header, one SHA-256 and the check of role and scope.
 */
const [socketPath = '', token = '', kind] = process.argv.slice(2)
const [config, events] = [readConfig({ HOST: '127.0.0.1', PORT: '0' }), createEvents()]
const deps = createDeps(config, events, { socketPath, user: 'rowhouse', database: 'rowhouse' }, () => true)
if (kind === 'known') {
  const caller = await deps.lookup.token(hashSecret(token), 'bearer')
  deps.lookup = { ...deps.lookup, token: async () => caller, findCached: () => null }
}
console.log(serve(createHandler(deps), config, events, dialects).url)
