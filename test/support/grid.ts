import { call } from './executable'
import { startUi, type UiService } from './ui'

export const manyRows = 'people'
export const rowCount = 120_000
const atOnce = 5_000

export type GridService = UiService & {
  tableId: (name: string) => string
  recordOf: (name: string, key: number) => Promise<Record<string, unknown>>
  /** Calls the API below `/api/v1/tables` as an administrator. */
  api: (path: string, body?: unknown, method?: string) => Promise<Response>
}

/** The executable with the sample data and a table of `count` records, created through the API like by any caller. */
export async function startGrid(count = rowCount): Promise<GridService> {
  const service = await startUi()
  const columns = [
    { name: 'name', type: 'text' },
    { name: 'age', type: 'integer' },
    { name: 'balance', type: 'decimal', options: { precision: 20, scale: 2 } },
    { name: 'active', type: 'boolean' },
    { name: 'since', type: 'dateTime' },
  ]
  const api: GridService['api'] = (path, body, method) =>
    call(`${service.url}/api/v1/tables${path}`, { token: service.token, body, ...(method ? { method } : {}) })
  const made = await api('', { name: manyRows, columns })
  const table = (await made.json()) as { id: string; name: string }
  for (let from = 0; from < count; from += atOnce) await fill(service, from, Math.min(atOnce, count - from))
  const tables = [...service.tables, table]
  const recordOf = async (name: string, key: number) => (await (await api(`/${name}/records/${key}`)).json()) as Record<string, unknown>
  return { ...service, tables, tableId: (name) => tables.find((each) => each.name === name)?.id ?? name, recordOf, api }
}

async function fill({ url, token }: UiService, from: number, count: number) {
  const body = Array.from({ length: count }, (_, at) => from + at + 1).map((number) => ({
    name: `Person ${number}`,
    age: number % 90,
    balance: `${number}.50`,
    active: number % 3 !== 0,
    since: new Date(Date.UTC(2024, 0, 1) + number * 60_000).toISOString(),
  }))
  const headers = { prefer: 'return=minimal' }
  const answer = await call(`${url}/api/v1/tables/${manyRows}/records`, { token, body, headers })
  if (answer.status !== 201) throw new Error(`Making records answered ${answer.status}: ${await answer.text()}`)
}
