import { originText } from '../../../db/origin'
import { currentScope } from '../../../db/scope'
import type { Table } from '../../../tables/model'
import type { StatementWriter } from './statement'

/**
 * Items of a list of tables: what the statement changes is logged as the caller's (docs/history.md), also in other
 * tables, by a view, a trigger or a cascade. The statement gets the variable `origin`, in which `originText` says who
 * that is. None for a foreign table, where it would keep PostgreSQL from leaving the statement to the other server.
 */
export const logItems = (writer: StatementWriter, { kind }: Pick<Table, 'kind'>): string[] =>
  kind !== 'foreignTable' ? [`pg_catalog.set_config('rowhouse.origin', ${writer.variable('origin', 'text')}, true) o`] : []

/** The value of `origin` for a statement of one request. */
export const presentOrigin = (): string => originText([currentScope()?.origin])

/**
 * For a list of what a change of several records returns, with their places in `e.place`: notes the places in the order
 * in which the log has the rows, so that each is logged under the request that asked for it.
 */
export const loggedPlace = `pg_catalog.set_config('rowhouse.places', pg_catalog.concat(pg_catalog.current_setting('rowhouse.places', true), ',', e.place), true) as places`
