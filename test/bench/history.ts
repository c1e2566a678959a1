import { measure } from './load'
import { factorOf, inRounds, rate } from './rounds'
import { median, ms, type Row, times } from './table'
import { startContacts, versionRequests } from './versions'

const rounds = 7
const importRounds = 5
const imported = 100_000
const minFactor = 0.9
const maxImportFactor = 1.5

/** What the log of changes costs writers: the same requests to two services, of which one logs nothing, in turn. */
export async function measureHistory(): Promise<Row[]> {
  await using off = await startContacts({ environment: { ROWHOUSE_HISTORY_DAYS: '0' } })
  await using on = await startContacts()
  const settle = async () => {
    for (const { sql } of [off, on]) await sql.unsafe('checkpoint')
  }
  const rows: Row[] = []
  for (const title of ['Create', 'Change']) {
    const request = versionRequests[title]!
    const measured = await inRounds({ off: () => measure(request(off), off.pid), on: () => measure(request(on), on.pid) }, settle, rounds)
    const factor = factorOf(measured.on, measured.off)
    rows.push(rate(`${title}, not logged`, measured.off, { ratio: '1×' }))
    rows.push(rate(`${title}, logged`, measured.on, { ratio: times(factor), bar: `≥ ${minFactor}×`, isMet: factor >= minFactor }))
  }
  const csv = `name,email,age\n${Array.from({ length: imported }, (_, index) => `Person ${index},person${index}@example.org,${index % 90}`).join('\n')}\n`
  const once = async ({ url, token }: { url: string; token: string }) => {
    await settle()
    const startedAt = performance.now()
    const response = await fetch(`${url}/api/v1/tables/contacts/import?mode=insert`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      body: csv,
    })
    if (response.status !== 200) throw new Error(`An import answered ${response.status}: ${await response.text()}`)
    return performance.now() - startedAt
  }
  const durations: { off: number; on: number }[] = []
  for (let round = 0; round < importRounds; round++) durations.push({ off: await once(off), on: await once(on) })
  const factor = median(durations.map((each) => each.on / each.off))
  rows.push({ what: `Import of ${imported} records, not logged`, figure: ms(median(durations.map((each) => each.off))), ratio: '1×' })
  rows.push({
    what: `Import of ${imported} records, logged`,
    figure: ms(median(durations.map((each) => each.on))),
    ratio: times(factor),
    bar: `≤ ${maxImportFactor}×`,
    isMet: factor <= maxImportFactor,
  })
  return rows
}
