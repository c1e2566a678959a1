import { join } from 'node:path'
import { call, newFolder, startService } from '../support/executable'
import { endpoints, pluginsWith } from '../support/plugins'
import { setUp } from '../support/used-data'
import { measure } from './load'
import { percentiles } from './percentiles'
import { inRounds, rate } from './rounds'
import { median, ms, percent, type Row } from './table'

const constant = endpoints(`{ method: 'GET', path: '/', public: false, allow: () => true, handle: () => ({ status: 'ok' }) }`)
const template = `import { documentTemplate, t } from 'rowhouse/plugin'
export default documentTemplate({ title: 'x', public: true, params: t.Object({ rows: t.Integer(), salt: t.Integer() }), allow: () => true,
  load: ({ params }) => ({ salt: params.salt, rows: Array.from({ length: params.rows }, (_, n) => ({ n, text: 'A line of an invoice, ' + n })) }), formats: { pdf: 'x.typ' } })`
const source = `#let data = json("/data.json")\n= Invoice #data.salt\n#table(columns: (auto, 1fr), table.header([No.], [Text]), ..data.rows.map(r => ([#r.n], [#r.text])).flatten())\n`

const onePage = 25
/** Of about forty rows each. */
const hundredPages = 4000

const startTimes = 5

/** A custom endpoint beside a built-in route, documents, and what ten plugins cost at the start. */
export async function measurePlugins(): Promise<Row[]> {
  const cwd = newFolder()
  pluginsWith({ 'constant/plugin.ts': constant, 'docs/x/template.ts': template, 'docs/x/x.typ': source }, join(cwd, 'plugins'))
  await using service = await startService({ cwd })
  const headers = { authorization: `Bearer ${await setUp(service)}` }
  const { builtIn, custom } = await inRounds({
    builtIn: () => measure({ url: `${service.url}/auth/me`, headers }),
    custom: () => measure({ url: `${service.url}/api/v1/custom/constant`, headers }),
  })
  const share = custom.perSecond / builtIn.perSecond
  return [
    rate('GET /auth/me, Bearer', builtIn, { ratio: '100 %' }),
    rate('A custom endpoint that returns a constant, Bearer', custom, { ratio: percent(share), bar: '≥ 80 %', isMet: share >= 0.8 }),
    ...(await measureDocuments(service.url)),
    await measureStart(),
  ]
}

async function measureDocuments(url: string): Promise<Row[]> {
  let salt = 0
  const make = async (rows: number): Promise<number> => {
    const startedAt = performance.now()
    const response = await call(`${url}/api/v1/documents/docs/x?rows=${rows}&salt=${salt++}`, { limitMs: 60_000 })
    const bytes = await response.arrayBuffer()
    if (response.status !== 200 || bytes.byteLength === 0) throw new Error(`The document answered ${response.status}.`)
    return performance.now() - startedAt
  }
  await make(onePage)
  const warm: number[] = []
  for (let time = 0; time < 30; time++) warm.push(await make(onePage))
  const [long, waits] = await withWaits(url, () => make(hundredPages))
  const { p50Ms, p99Ms } = percentiles(warm)
  const worst = Math.max(...waits)
  return [
    { what: 'A PDF of one page, warm', figure: ms(p50Ms), p50: ms(p50Ms), p99: ms(p99Ms), bar: '≤ 40 ms', isMet: p50Ms <= 40 },
    { what: 'A PDF of 100 pages', figure: ms(long), bar: '≤ 3 s', isMet: long <= 3000 },
    { what: 'The longest that /healthz took meanwhile', figure: ms(worst), bar: '≤ 50 ms', isMet: worst <= 50 },
  ]
}

/** How long the service took for something else, again and again, while the work went on. */
async function withWaits(url: string, work: () => Promise<number>): Promise<[number, number[]]> {
  let isDone = false
  const waits: number[] = []
  const asking = (async () => {
    while (!isDone) {
      const startedAt = performance.now()
      await (await call(`${url}/healthz`)).text()
      waits.push(performance.now() - startedAt)
      await Bun.sleep(5)
    }
  })()
  const result = await work().finally(() => {
    isDone = true
  })
  await asking
  return [result, waits]
}

async function measureStart(): Promise<Row> {
  const ten = pluginsWith(Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`p-${index}/plugin.ts`, constant])))
  const dataDir = join(newFolder(), 'data')
  const start = async (environment: Record<string, string>): Promise<number> => {
    const startedAt = performance.now()
    await using service = await startService({ dataDir, environment })
    await call(`${service.url}/readyz`)
    return performance.now() - startedAt
  }
  await start({})
  const [without, withTen]: [number[], number[]] = [[], []]
  for (let time = 0; time < startTimes; time++) {
    without.push(await start({}))
    withTen.push(await start({ ROWHOUSE_PLUGINS_DIR: ten }))
  }
  const added = median(withTen) - median(without)
  return { what: 'What ten plugins add to a start', figure: ms(Math.max(0, added)), bar: '≤ 300 ms', isMet: added <= 300 }
}
