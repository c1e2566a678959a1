import type { Query } from '../../../db/pool/open'
import { nearest } from '../../../tables/nearest'
import { throwRestFailure } from '../errors/failure'

/** A function in PostgreSQL's catalog (its manual, pg_proc). Types are quoted for SQL. */
export type DatabaseFunction = {
  schema: string
  name: string
  /** The arguments to send, in order; an unnamed one has an empty name. */
  arguments: { name: string; type: string; isRequired: boolean; isVariadic: boolean }[]
  volatility: 'immutable' | 'stable' | 'volatile'
  isSet: boolean
  /** The columns of the result; null for a single value. If it has the rows of a table, `relation` is that table. */
  columns: ResultColumn[] | null
  relation: { schema: string; name: string } | null
  isVoid: boolean
}

/** @see Column.operatorSchema */
export type ResultColumn = { name: string; type: string; operatorSchema: string | null }

const operatorSchemaOf = (
  type: string,
) => `(select quote_ident(tn.nspname) from pg_type ct join pg_type bt on bt.oid = case ct.typbasetype when 0 then ct.oid else ct.typbasetype end
        join pg_namespace tn on tn.oid = bt.typnamespace where ct.oid = ${type} and bt.typtype = 'b' and bt.typcategory <> 'A' and tn.nspname <> 'pg_catalog')`

/**
 * Read for every call, so that it is never stale; the call itself costs more. A single output parameter makes a column
 * only if it has a name.
 */
const functionsByName = `select json_build_object(
    'schema', n.nspname, 'name', p.proname, 'isSet', p.proretset, 'isVoid', p.prorettype = 'pg_catalog.void'::regtype,
    'volatility', case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
    'relation', (select json_build_object('schema', rn.nspname, 'name', r.relname) from pg_class r join pg_namespace rn on rn.oid = r.relnamespace
      where r.oid = t.typrelid and r.relkind in ('r', 'v', 'm', 'f', 'p')),
    'arguments', coalesce((select json_agg(json_build_object('name', coalesce(p.proargnames[i], ''), 'type', format_type(a.type, null),
        'isVariadic', p.proargmodes is not null and p.proargmodes[i] = 'v', 'isRequired', a.place <= p.pronargs - p.pronargdefaults) order by i)
      from (select k as i, (coalesce(p.proallargtypes, p.proargtypes::oid[]))[k + case when p.proallargtypes is null then -1 else 0 end] as type,
          row_number() over (order by k) as place
        from generate_series(1, coalesce(array_length(p.proallargtypes, 1), p.pronargs)) k
        where p.proargmodes is null or p.proargmodes[k] in ('i', 'b', 'v')) a), '[]'),
    'columns', case
      when t.typtype = 'c' then (select json_agg(json_build_object('name', c.attname, 'type', format_type(c.atttypid, null),
        'operatorSchema', ${operatorSchemaOf('c.atttypid')}) order by c.attnum)
        from pg_attribute c where c.attrelid = t.typrelid and c.attnum > 0 and not c.attisdropped)
      when p.proargmodes && array['o', 'b', 't']::"char"[] then
        (select json_agg(json_build_object('name', p.proargnames[k], 'type', format_type(p.proallargtypes[k], null),
          'operatorSchema', ${operatorSchemaOf('p.proallargtypes[k]')}) order by k)
        from generate_series(1, array_length(p.proallargtypes, 1)) k where p.proargmodes[k] in ('o', 'b', 't')
          and (t.typname = 'record' or p.proargnames[k] <> '')) end)::text as function
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_type t on t.oid = p.prorettype
  where n.nspname = $1::text and p.proname = $2::text and p.prokind = 'f' and p.prorettype <> all (array['trigger', 'event_trigger']::regtype[])
  order by p.oid`

/** The functions in the setting ROWHOUSE_RPC. */
export type Listed = readonly { schema: string | null; name: string; isSafe: boolean }[]

/**
 * The function that the arguments fit, among the functions of this name that may be called.
 * @param query of a transaction in which names without a schema are PostgreSQL's own, so that other types are returned
 * with their schema
 * @param listed the functions in the setting ROWHOUSE_RPC
 * @param sent the names of the arguments; null for a body that is not an object, and can only be the single unnamed
 * argument
 * @throws RestFailure PGRST202, PGRST203
 */
export async function findFunction(
  query: Query,
  listed: Listed,
  schema: string,
  name: string,
  sent: readonly string[] | null,
): Promise<DatabaseFunction> {
  const isListed = listed.some((item) => item.name === name && (item.schema === null || item.schema === schema))
  const rows = isListed ? await query<{ function: string }>(functionsByName, [schema, name]) : []
  const named = rows.map((row): DatabaseFunction => JSON.parse(row.function))
  const fitting = sent === null ? [] : named.filter((candidate) => acceptsArguments(candidate, sent))
  if (fitting.length > 1) refuseAmbiguous(fitting)
  return fitting[0] ?? named.find(takesJson) ?? throwUnknownFunction(listed, schema, name, sent, named)
}

const acceptsArguments = ({ arguments: known }: DatabaseFunction, sent: readonly string[]): boolean =>
  sent.every((name) => name !== '' && known.some((argument) => argument.name === name)) &&
  known.every(({ name, isRequired }) => !isRequired || (name !== '' && sent.includes(name)))

/** `f(json)`: its argument is the whole body. */
export const takesJson = ({ arguments: known }: DatabaseFunction): boolean =>
  known.length === 1 && known[0]!.name === '' && /^jsonb?$/.test(known[0]!.type)

const signature = ({ schema, name, arguments: known }: DatabaseFunction) =>
  `${schema}.${name}(${known.map((argument) => `${argument.name} => ${argument.type}`).join(', ')})`

const refuseAmbiguous = (candidates: DatabaseFunction[]): never =>
  throwRestFailure(
    300,
    'PGRST203',
    `Could not choose the best candidate function between: ${candidates.map(signature).join(', ')}`,
    null,
    'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
  )

/** The first of these functions that can be called by the names of its arguments: `add_up(a, b)`. */
function namedCall(named: DatabaseFunction[]): string | undefined {
  const found = named.find((candidate) => candidate.arguments.every((argument) => argument.name !== ''))
  return found && `${found.name}(${found.arguments.map((argument) => argument.name).join(', ')})`
}

/** @param named the functions of this name, which other arguments fit */
function throwUnknownFunction(
  listed: Listed,
  schema: string,
  name: string,
  sent: readonly string[] | null,
  named: DatabaseFunction[],
): never {
  const list = sent?.map((argument) => argument.slice(0, 63)).join(', ')
  const others = listed.filter((item) => item.name !== name && (item.schema === null || item.schema === schema)).map((item) => item.name)
  const similar = namedCall(named) ?? nearest(name, others)
  return throwRestFailure(
    404,
    'PGRST202',
    `Could not find the function in the schema '${schema}'`,
    `Searched among those that ROWHOUSE_RPC names for a function of this name ${list ? `with the parameters ${list}` : 'without parameters'}.`,
    similar === undefined ? null : `Perhaps you meant to call the function ${schema}.${similar}`,
  )
}
