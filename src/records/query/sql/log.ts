import { originText } from '../../../db/pool/origin'
import { currentScope } from '../../../db/pool/scope'
import type { Table } from '../../../tables/model'
import type { StatementWriter } from './statement'

/**
 * Items of a from list that log the statement's changes as the caller's (docs/history.md), including those in other
 * tables by a view, a trigger or a cascade. The statement gets the variable `origin`, in which `originText` names the
 * caller. None for a foreign table, where they would keep PostgreSQL from sending the statement to the other server.
 */
export const logItems = (writer: StatementWriter, { kind }: Pick<Table, 'kind'>): string[] =>
  kind !== 'foreignTable' ? [`pg_catalog.set_config('rowhouse.origin', ${writer.variable('origin', 'text')}, true) o`] : []

/** The value of `origin` for a statement of one request. */
export const presentOrigin = (): string => originText([currentScope()?.origin])

/**
 * For the returning list of a change of several records, with their places in `e.place`: notes the places in the log's
 * order of rows, so that each row is logged under the request that changed it.
 */
export const loggedPlace = `pg_catalog.set_config('rowhouse.places', pg_catalog.concat(pg_catalog.current_setting('rowhouse.places', true), ',', e.place), true) as places`
