import { call } from './executable'
import { startUi, type UiService } from './ui'

export const manyRows = 'people'
export const rowCount = 120_000
const atOnce = 5_000

export type GridService = UiService & { tableId: (name: string) => string }

/** The executable with the sample data and a table of 120 000 records, made by the API as by any caller. */
export async function startGrid(): Promise<GridService> {
  const service = await startUi()
  const columns = [
    { name: 'name', type: 'text' },
    { name: 'age', type: 'integer' },
    { name: 'balance', type: 'decimal', options: { precision: 20, scale: 2 } },
    { name: 'active', type: 'boolean' },
    { name: 'since', type: 'dateTime' },
  ]
  const made = await call(`${service.url}/api/v1/tables`, { token: service.token, body: { name: manyRows, columns } })
  const table = (await made.json()) as { id: string; name: string }
  for (let from = 0; from < rowCount; from += atOnce) await fill(service, from)
  const tables = [...service.tables, table]
  return { ...service, tables, tableId: (name) => tables.find((each) => each.name === name)?.id ?? name }
}

async function fill({ url, token }: UiService, from: number) {
  const body = Array.from({ length: atOnce }, (_, at) => from + at + 1).map((number) => ({
    name: `Person ${number}`,
    age: number % 90,
    balance: `${number}.50`,
    active: number % 3 !== 0,
    since: new Date(Date.UTC(2024, 0, 1) + number * 60_000).toISOString(),
  }))
  const headers = { prefer: 'return=minimal' }
  const answer = await call(`${url}/api/v1/tables/${manyRows}/records`, { token, body, headers, limitMs: 60_000 })
  if (answer.status !== 201) throw new Error(`Making records answered ${answer.status}: ${await answer.text()}`)
}
