import { cleanUp } from '../support/executable'
import { measureCsv } from './csv'
import { measurePeer } from './peer'
import { measureRequests } from './requests'
import { measureStarts } from './starts'
import { type Row, table } from './table'

/** `bun run bench [section…]`: what is measured, by name, in this order. Each starts what it needs and ends it again. */
const sections: Record<string, () => Promise<Row[]>> = {
  starts: measureStarts,
  requests: measureRequests,
  postgrest: measurePeer,
  csv: measureCsv,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(sections, name))
if (unknown.length) {
  console.error(`There is no section "${unknown.join('", "')}". There are: ${Object.keys(sections).join(', ')}.`)
  process.exit(2)
}

try {
  for (const [name, measure] of Object.entries(sections)) {
    if (asked.length === 0 || asked.includes(name)) console.log(`### ${name}\n\n${table(await measure())}\n`)
  }
} finally {
  cleanUp()
}
