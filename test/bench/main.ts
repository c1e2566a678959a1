import { availableParallelism, loadavg } from 'node:os'
import { cleanUp } from '../support/executable'
import { measureAccess } from './access'
import { measureAttachments } from './attachments'
import { measureAuthentication } from './authentication'
import { measureBackup } from './backup'
import { measureComputed } from './computed'
import { measureCsv } from './csv'
import { measureHistory } from './history'
import { measureMove } from './move'
import { measurePeer } from './peer'
import { measurePlugins } from './plugins'
import { measureRequests } from './requests'
import { measureStarts } from './starts'
import { type Row, table } from './table'
import { measureVersions } from './versions'
import { measureWalArchive } from './wal-archive'
import { measureWeb } from './web'

/**
 * `bun run bench [section…]`: what is measured, by name, in this order. Each starts what it needs and ends it again.
 */
const sections: Record<string, () => Promise<Row[]>> = {
  starts: measureStarts,
  requests: measureRequests,
  postgrest: measurePeer,
  computed: measureComputed,
  csv: measureCsv,
  authentication: measureAuthentication,
  plugins: measurePlugins,
  access: measureAccess,
  history: measureHistory,
  attachments: measureAttachments,
  backup: measureBackup,
  wal: measureWalArchive,
  move: measureMove,
  web: measureWeb,
  versions: measureVersions,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(sections, name))
if (unknown.length) {
  console.error(`There is no section "${unknown.join('", "')}". There are: ${Object.keys(sections).join(', ')}.`)
  process.exit(2)
}

// Ratios bear a slow moment, not a machine that others keep busy: latencies and the shares of the cores shift then.
const [load = 0, cores] = [loadavg()[0], availableParallelism()]
console.log(
  `Load of the machine before the start: ${load.toFixed(1)} on ${cores} cores${load > cores / 4 ? ': too busy to judge by the bars' : ''}.\n`,
)

try {
  for (const [name, measure] of Object.entries(sections)) {
    if (asked.length === 0 || asked.includes(name)) console.log(`### ${name}\n\n${table(await measure())}\n`)
  }
} finally {
  cleanUp()
}
