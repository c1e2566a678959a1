import { Elysia, t } from 'elysia'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import { TableView } from '../tables/model'
import { toTableResponse } from '../tables/present'
import { addPictures, createSample, type StoreFile } from './service'

export const sampleRoutes = (deps: Deps, store: StoreFile) =>
  new Elysia({ name: 'sample/routes', prefix: '/api/v1', tags: ['tables'] }).use(authHooks(deps)).post(
    '/sample-data',
    async ({ actor, status }) => {
      const { tables, records } = await createSample(deps, actor.user.id)
      // The tables already exist and are useful without images.
      await addPictures(store, tables, actor.user.id).catch((error) =>
        deps.events.emit({ kind: 'background_failed', task: 'adding pictures to the sample', error }),
      )
      return status(201, { tables: tables.map((table) => toTableResponse(table, actor)), records })
    },
    {
      role: 'admin',
      response: { 201: t.Object({ tables: t.Array(TableView), records: t.Integer() }) },
      detail: {
        summary: 'Create the sample tables',
        description:
          'companies, contacts and projects, products with pictures, and orders with their lines, for looking around. 409 when one of these names is taken.',
      },
    },
  )
