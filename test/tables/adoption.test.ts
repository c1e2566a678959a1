import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { crm } from '../support/crm'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
await app.deps.db.sql.unsafe(crm)

test('tables of a served schema are listed, partitions are not', async () => {
  const { tables } = await json(app.call('/api/v1/tables', { as: 'viewer' }))
  expect(tables.map(({ schema, name, primaryKey, readOnly }: Record<string, unknown>) => ({ schema, name, primaryKey, readOnly }))).toEqual(
    [
      { schema: 'crm', name: 'columnless', primaryKey: [], readOnly: false },
      { schema: 'crm', name: 'companies', primaryKey: ['country', 'code'], readOnly: false },
      { schema: 'crm', name: 'doors', primaryKey: [], readOnly: false },
      { schema: 'crm', name: 'emails', primaryKey: [], readOnly: false },
      { schema: 'crm', name: 'events', primaryKey: ['id', 'at'], readOnly: false },
      { schema: 'crm', name: 'keyless', primaryKey: [], readOnly: false },
      { schema: 'crm', name: 'late', primaryKey: ['id'], readOnly: false },
      { schema: 'crm', name: 'people', primaryKey: ['id'], readOnly: false },
      { schema: 'crm', name: 'snapshot', primaryKey: [], readOnly: true },
      { schema: 'crm', name: 'totals', primaryKey: [], readOnly: true },
      { schema: 'crm', name: 'we"ird, na.me', primaryKey: ['a b'], readOnly: false },
    ],
  )
})
