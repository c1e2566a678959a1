import { Elysia } from 'elysia'
import { authHooks } from '../../auth/hooks'
import { type Actor, canNameUsers } from '../../auth/identity/actor'
import { type Requirement, reauthorize } from '../../auth/identity/authorize'
import { withReason } from '../../auth/refusal-reason'
import type { Deps } from '../../deps'
import { Failure, invalidRequest } from '../../errors'
import { searchOf } from '../../http/request/url'
import { translatable } from '../../messages/message'
import { getTable, tablesFor } from '../../tables/catalog/catalog'
import { refreshIfStale } from '../../tables/catalog/stale-definitions'
import type { Table } from '../../tables/model'
import { describeCancel, describeImport, describeImportState, describeTableImport } from '../description'
import { readCorrections } from './corrections/read'
import { importFile } from './import'
import { cancelImport, getImport, ImportView } from './log'
import { importTable } from './new-table/import'
import { givenNames } from './new-table/plan'
import {
  importParameters,
  readImportOptions,
  readImportParameters,
  readTableOptions,
  rejectFormParameters,
  tableParameters,
} from './options'
import { createImportRunner } from './runner'
import { importFrom } from './workbook/source'

const editor: Requirement = { area: 'data', role: 'editor' }
const admin: Requirement = { area: 'account', role: 'admin' }

const accessChanged = ({ name }: Table): Failure =>
  withReason(
    new Failure('forbidden', translatable('The rules for you have changed since the import began; nothing was imported.'), {
      hint: translatable('Send the file again: it is then read under the present rules.'),
    }),
    'rule',
    name,
  )

export const importRoutes = (deps: Deps) => {
  const { db, catalog, config } = deps
  const run = createImportRunner(deps)

  const namesFor = async (actor: Actor) => ({ tables: await tablesFor(catalog, actor), canNameUsers: canNameUsers(actor) })

  // The file may take an hour to arrive, and longer to get its turn, so the caller is then authorized again.
  const intoTable = async (sender: Actor, tableId: string, request: Request) => {
    let actor = sender
    let rulesKey: string | undefined
    const check = async () => {
      actor = await reauthorize(deps, request, editor)
      const table = await getTable(catalog, actor, tableId)
      const now = await tablesFor(catalog, actor)
      // The table and its columns were narrowed by the rules as they were at that time.
      if (rulesKey !== undefined && rulesKey !== now.rulesKey) throw accessChanged(table)
      return table.id
    }
    return run({ request, actor, check }, async (job, open) => {
      const asked = readImportOptions(readImportParameters(searchOf(request.url), importParameters))
      const file = await open()
      rejectFormParameters(file.fields)
      const corrections = readCorrections(file.fields.get('corrections'))
      // Reads the table after the file: it may have changed while the import waited for its turn.
      const names = await namesFor(actor)
      // Done before reading the table, so that the check also finds rules that change in between.
      rulesKey = names.tables.rulesKey
      const table = await getTable(catalog, actor, tableId)
      const options = { ...asked, encoding: asked.encoding ?? file.encoding, hasHeader: file.hasHeader ?? asked.hasHeader }
      try {
        const columnName = (header: string, index: number) => options.columns?.[index] ?? options.mapping.get(header) ?? header
        return await importFrom(
          { ...job, source: file.source, options, columnName, width: options.columns?.length ?? 0, maxUploadBytes: config.maxUploadBytes },
          (read) => importFile(db, table, { ...job, ...read, actor, names, corrections, options: { ...options, ...read.options } }),
        )
      } catch (error) {
        await refreshIfStale(catalog, error)
        throw error
      }
    })
  }

  const intoNewTable = async (actor: Actor, request: Request) => {
    const check = async () => {
      await reauthorize(deps, request, admin)
      return null
    }
    return run({ request, actor, check }, async (job, open) => {
      const parameters = readImportParameters(searchOf(request.url), tableParameters)
      const asked = readTableOptions(parameters)
      const file = await open()
      rejectFormParameters(file.fields, ['name', 'columns', 'displayColumn'])
      const corrections = readCorrections(file.fields.get('corrections'))
      const said = (name: string) => parameters.get(name) ?? file.fields.get(name)
      const name = said('name')
      if (name === undefined) throw invalidRequest(translatable('The parameter "name" must name the new table.'))
      const options = { ...asked, encoding: asked.encoding ?? file.encoding, hasHeader: file.hasHeader ?? asked.hasHeader }
      const wishes = said('columns')
      const columnNames = givenNames(wishes)
      const columnName = (header: string) => columnNames.get(header) ?? header
      const names = await namesFor(actor)
      return importFrom({ ...job, source: file.source, options, columnName, width: 0, maxUploadBytes: config.maxUploadBytes }, (read) => {
        // The numbers of a workbook have a decimal point, whatever its texts look like.
        const decimals = options.decimals ?? (read.rowOf ? 'point' : undefined)
        return importTable(db, catalog, {
          ...job,
          ...read,
          actor,
          names,
          corrections,
          name,
          wishes,
          displayColumn: said('displayColumn'),
          options: { ...options, ...read.options, decimals },
        })
      })
    })
  }

  return new Elysia({ name: 'csv/import/routes', prefix: '/api/v1', tags: ['csv'] })
    .use(authHooks(deps))
    .post('/tables/import', ({ actor, request }) => intoNewTable(actor, request), {
      role: { least: 'admin', body: 'unread' },
      detail: describeTableImport,
    })
    .post('/tables/:tableId/import', ({ actor, params, request }) => intoTable(actor, params.tableId, request), {
      role: { least: 'editor', body: 'unread' },
      detail: describeImport,
    })
    .get('/imports/:id', ({ actor, params }) => getImport(db, actor, params.id), {
      signedIn: 'data',
      response: ImportView,
      detail: describeImportState,
    })
    .delete('/imports/:id', ({ actor, params }) => cancelImport(db, actor, params.id), {
      signedIn: 'data',
      response: ImportView,
      detail: describeCancel,
    })
}
