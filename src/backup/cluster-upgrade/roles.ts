import type { Sql } from 'postgres'
import { roleName } from '../../db/embedded/cluster'
import { BackupError } from '../errors'

/** The statement that grants membership in a role; its grantor needs the admin option first. */
type Membership = { role: string; member: string; grantor: string; is_admin: boolean; statement: string }

/** Settings whose value is a list of names, which PostgreSQL stores with its quotes and commas. */
const listSettings = /^(local_preload_libraries|search_path|session_preload_libraries|temp_tablespaces)$/

/** Copies the roles, which pg_dump omits because they are shared by all databases. @throws BackupError */
export async function copyRoles(from: Sql, to: Sql): Promise<void> {
  const roles = await from<{ name: string; statement: string; comment: string | null }[]>`
    select rolname as name, format('%I %s %s %s %s %s %s %s connection limit %s password %s%s', rolname,
      case when rolsuper then 'superuser' else 'nosuperuser' end, case when rolinherit then 'inherit' else 'noinherit' end,
      case when rolcreaterole then 'createrole' else 'nocreaterole' end, case when rolcreatedb then 'createdb' else 'nocreatedb' end,
      case when rolcanlogin then 'login' else 'nologin' end, case when rolreplication then 'replication' else 'noreplication' end,
      case when rolbypassrls then 'bypassrls' else 'nobypassrls' end, rolconnlimit, coalesce(quote_literal(rolpassword), 'null'),
      ' valid until ' || quote_literal(rolvaliduntil)) as statement,
      format('comment on role %I is %L', rolname, shobj_description(oid, 'pg_authid')) as comment
    from pg_authid where rolname !~ '^pg_'`
  for (const { name, statement, comment } of roles) {
    await to.unsafe(`${name === roleName ? 'alter' : 'create'} role ${statement}`)
    if (comment !== null) await to.unsafe(comment)
  }
  for (const { statement } of inOrder(await readMemberships(from))) await to.unsafe(statement)
  for (const statement of await readSettings(from)) await to.unsafe(statement)
}

/** The attributes of the roles, for the comparison. */
export async function describeRoles(sql: Sql): Promise<string> {
  const [row] = await sql<{ text: string }[]>`
    select concat_ws(E'\n',
      (select string_agg(role, E'\n' order by role) from (
        select concat_ws(' ', rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls,
          rolconnlimit, rolpassword, rolvaliduntil, shobj_description(oid, 'pg_authid')) as role
        from pg_authid where rolname !~ '^pg_') as roles),
      (select string_agg(membership, E'\n' order by membership) from (
        select concat_ws(' ', roleid::regrole, member::regrole, grantor::regrole, admin_option) as membership
        from pg_auth_members where member::regrole::text !~ '^pg_') as memberships),
      (select string_agg(settings, E'\n' order by settings) from (
        select concat_ws(' ', setrole::regrole, setconfig) as settings from pg_db_role_setting where setdatabase = 0) as set_for_roles)
    ) as text`
  return row!.text
}

const readMemberships = (sql: Sql) =>
  // In PostgreSQL 15 there is only the admin option.
  sql<Membership[]>`
    select r.rolname as role, m.rolname as member, g.rolname as grantor, a.admin_option as is_admin,
      format('grant %I to %I with admin %s, inherit %s, set %s granted by %I', r.rolname, m.rolname, a.admin_option::text,
        coalesce(to_jsonb(a) ->> 'inherit_option', m.rolinherit::text), coalesce(to_jsonb(a) ->> 'set_option', 'true'), g.rolname) as statement
    from pg_auth_members a join pg_authid r on r.oid = a.roleid join pg_authid m on m.oid = a.member join pg_authid g on g.oid = a.grantor
    where m.rolname !~ '^pg_'`

function inOrder(memberships: readonly Membership[]): Membership[] {
  const done: Membership[] = []
  const mayGrant = ({ role, grantor }: Membership) =>
    grantor === roleName || done.some((other) => other.is_admin && other.role === role && other.member === grantor)
  for (let left = [...memberships]; left.length > 0; ) {
    const next = left.filter(mayGrant)
    if (next.length === 0) throw new BackupError(`The role ${left[0]!.grantor} has given ${left[0]!.role} without the right to.`)
    done.push(...next)
    left = left.filter((membership) => !next.includes(membership))
  }
  return done
}

/** Settings of roles that apply to all databases. pg_dump writes those for a single database. */
async function readSettings(sql: Sql): Promise<string[]> {
  const settings = await sql<{ role: string; name: string; value: string; text: string }[]>`
    select case when setrole = 0 then 'all' else setrole::regrole::text end as role, quote_ident(split_part(entry, '=', 1)) as name,
      substr(entry, strpos(entry, '=') + 1) as value, quote_literal(substr(entry, strpos(entry, '=') + 1)) as text
    from pg_db_role_setting, unnest(setconfig) as entry where setdatabase = 0`
  return settings.map(
    ({ role, name, value, text }) => `alter role ${role} set ${name} to ${listSettings.test(name) ? literals(value) : text}`,
  )
}

/** Turns a list of names as PostgreSQL stores it, such as `"$user", public`, into a list of literals. */
const literals = (list: string) =>
  [...list.matchAll(/"((?:[^"]|"")*)"|[^,\s]+/g)]
    .map(([plain, quoted]) => `'${(quoted?.replaceAll('""', '"') ?? plain).replaceAll("'", "''")}'`)
    .join(', ')
