import { readFileSync } from 'node:fs'

/**
 * A parsed PostgreSQL connection URI (its manual, 34.1.1.2). `hosts` are names, addresses, or a folder with a unix
 * socket.
 */
export type ConnectionUri = {
  hosts: string[]
  ports: number[]
  user?: string
  password?: string
  database?: string
  sslmode: SslMode
  /** The contents of the file named by sslrootcert. */
  ca?: string
  targetSessionAttrs?: string
  /** The remaining parameters go to the server as start-up parameters, for example `options` and `search_path`. */
  parameters: Record<string, string>
}

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof sslModes)[number]

/**
 * Parameters that libpq does not send (PostgreSQL's manual, 34.1.2). The server would reject them as unknown settings.
 */
const libpqOnly =
  /^(hostaddr|passfile|require_auth|channel_binding|connect_timeout|fallback_application_name|keepalives\w*|tcp_user_timeout|ssl\w*|gss\w*|krb\w*|requirepeer|service|load_balance_hosts|min_protocol_version|max_protocol_version)$/

/**
 * Both forms that libpq accepts for a socket: `postgres://user@/name?host=/run/postgresql` and
 * `postgres://user@%2Frun%2Fpostgresql/name`. WHATWG's URL supports neither, nor several hosts.
 * @throws Error whose message continues "DATABASE_URL …"; it never contains the URI
 */
export function readUri(text: string): ConnectionUri {
  const match = /^postgres(?:ql)?:\/\/(?:(?<login>[^@/?#]*)@)?(?<authority>[^/?#]*)(?:\/(?<name>[^?#]*))?(?:\?(?<query>[^#]*))?$/.exec(text)
  if (!match?.groups) throw new Error('must be a PostgreSQL connection URI: postgres://user:password@host:port/database')
  const { login, authority = '', name, query = '' } = match.groups
  const [user, password] = login === undefined ? [] : login.split(/:(.*)/s).map(decode)
  const {
    host,
    port,
    user: queryUser,
    password: queryPassword,
    dbname,
    sslmode,
    sslrootcert,
    target_session_attrs,
    sslcert,
    ...rest
  } = Object.fromEntries(new URLSearchParams(query)) as Record<string, string>
  // Silently ignored, it would look like a wrong password.
  if (sslcert !== undefined) throw new Error('names a client certificate (sslcert), which Rowhouse cannot present')
  const servers = host ? host.split(',').map((one) => ({ host: one, port: undefined })) : authority.split(',').map(splitPlace)
  return {
    hosts: servers.map((server) => server.host || 'localhost'),
    ports: servers.map((server, index) => readPort(server.port ?? port?.split(',')[index] ?? port ?? '5432')),
    user: user || queryUser,
    password: password || queryPassword,
    database: decode(name ?? '') || dbname,
    sslmode: readMode(sslmode),
    ca: sslrootcert === undefined ? undefined : readCertificates(sslrootcert),
    targetSessionAttrs: target_session_attrs,
    parameters: Object.fromEntries(Object.entries(rest).filter(([key]) => !libpqOnly.test(key))),
  }
}

/** `[::1]:5432`, `name:5432`, `%2Ffolder`. */
function splitPlace(text: string): { host: string; port?: string } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/.exec(text) ?? []
  if (bracketed === undefined && plain === undefined)
    throw new Error('names a host that cannot be read; an IPv6 address stands in brackets')
  return { host: bracketed ?? decode(plain ?? ''), port: port || undefined }
}

function readPort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65536) return port
  throw new Error('names a port that is not a number from 1 to 65535')
}

function readMode(text = 'prefer'): SslMode {
  const mode = sslModes.find((each) => each === text)
  if (mode) return mode
  throw new Error(`has an sslmode that is none of ${sslModes.join(', ')}`)
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new Error('names an sslrootcert that cannot be read')
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('holds a percent sign that begins no escape; write % as %25')
  }
}
