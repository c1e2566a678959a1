import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { readUri } from './uri'

/** One setting: an environment variable and the flag of the same name (`--data-dir` for `ROWHOUSE_DATA_DIR`).
 *  `read` takes the text and returns the value, or throws an Error whose message says what is wrong with it. */
export type Setting<T> = {
  env: string
  flag: string
  /** As shown in --help and in the README; for the parser, the text that `read` gets when nothing is set. */
  default?: string
  /** What to print instead of the default's text, where it depends on the machine. */
  shownDefault?: string
  example: string
  help: string
  read: (text: string) => T
}

const fail = (problem: string): never => {
  throw new Error(problem)
}

const text = (value: string) => value

const integer = (least: number, most: number) => (value: string) => {
  const number = Number(value)
  return /^-?\d+$/.test(value) && number >= least && number <= most ? number : fail(`must be a whole number from ${least} to ${most}`)
}

const flag = (value: string) =>
  /^(1|true|yes|on)$/i.test(value) ? true : /^(0|false|no|off)$/i.test(value) ? false : fail('must be 1 or 0 (true or false)')

const oneOf =
  <const T extends string>(...choices: T[]) =>
  (value: string): T =>
    choices.find((choice) => choice === value) ?? fail(`must be one of ${choices.join(', ')}`)

const unitsOfTime: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `30s`, `500ms`, `2m`; milliseconds out. */
const duration = (leastMs: number, mostMs: number) => (value: string) => {
  const [, amount, unit] = /^(\d+)(ms|s|m|h)$/.exec(value) ?? []
  if (!amount || !unit) return fail('must be a number with a unit: ms, s, m or h')
  const ms = Number(amount) * unitsOfTime[unit]!
  return ms >= leastMs && ms <= mostMs ? ms : fail(`must be from ${leastMs}ms to ${mostMs}ms`)
}

const unitsOfSize: Record<string, number> = { '': 1, B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 }

/** `1048576`, `1MB`, `2GB` (powers of 1024); bytes out. */
const size = (leastBytes: number, mostBytes: number) => (value: string) => {
  const [, amount, unit] = /^(\d+)\s*(B|KB|MB|GB|)$/i.exec(value) ?? []
  if (!amount || unit === undefined) return fail('must be a number of bytes, or one with KB, MB or GB')
  const bytes = Number(amount) * unitsOfSize[unit.toUpperCase()]!
  return bytes >= leastBytes && bytes <= mostBytes ? bytes : fail(`must be from ${leastBytes} to ${mostBytes} bytes`)
}

const webAddress = (value: string) => {
  const url = URL.canParse(value) ? new URL(value) : fail('must be a full address with http:// or https://')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return fail('must begin with http:// or https://')
  if (url.pathname !== '/' || url.search || url.hash || url.username) return fail('must have no path, query, fragment or user')
  return url.origin
}

/** Addresses and CIDR ranges separated by commas. */
const addressList = (value: string) => {
  const list = new BlockList()
  for (const item of value.split(',').map((part) => part.trim())) {
    const [address = '', bits, ...rest] = item.split('/')
    const version = isIP(address)
    const widest = version === 4 ? 32 : 128
    const prefix = bits === undefined ? widest : /^\d+$/.test(bits) ? Number(bits) : -1
    if (!version || rest.length || prefix < 0 || prefix > widest) return fail('must be IP addresses or CIDR ranges separated by commas')
    list.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

const setupCode = (value: string) =>
  value.length >= 16 && value.length <= 200
    ? value
    : fail('must have 16 to 200 characters, hard to guess (for example from `openssl rand -hex 16`)')

const fileText = (path: string) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return fail('names a file that cannot be read')
  }
}

const firstLine = (path: string) => fileText(path).split(/\r?\n/)[0] || fail('names a file whose first line is empty')

const offOr =
  (read: (text: string) => number) =>
  (text: string): number =>
    /^(0\w{0,2}|off)$/.test(text) ? 0 : read(text)

const objectPrefix = (value: string) =>
  /^([\w.-]+\/)*$/.test(value) ? value : fail('must be names of letters, digits, dots, - and _, each with a slash behind it')

const unixUser = (value: string) => (/^[a-z_][a-z0-9_-]{0,31}$/i.test(value) ? value : fail('must be the name of a user of this machine'))

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

const schemaList = (value: string) => {
  const own = listOf(value).find((name) => name === 'rowhouse' || name === 'information_schema' || name.startsWith('pg_'))
  if (own !== undefined) return fail('must not name rowhouse, information_schema or a schema that begins with pg_')
  return listOf(value)
}

/** `schema.function`, or a function's name alone for the first served schema that has it. */
const functionList = (value: string): { schema: string | null; name: string }[] =>
  listOf(value).map((item) => {
    const [schema, name, ...rest] = item.includes('.') ? item.split('.') : [null, item]
    const isName = name && rest.length === 0 && schema !== '' && !item.includes('*')
    return isName
      ? { schema: schema ?? null, name }
      : fail('must be names of functions separated by commas, each as schema.function or function')
  })

/** Every setting there is, in the order in which --help and the README show them. */
export const settings = {
  host: { env: 'HOST', flag: 'host', default: '127.0.0.1', example: '0.0.0.0', help: 'Address to listen on.', read: text },
  port: {
    env: 'PORT',
    flag: 'port',
    default: '8090',
    example: '8090',
    help: 'Port to listen on; 0 takes a free one.',
    read: integer(0, 65535),
  },
  publicUrl: {
    env: 'PUBLIC_URL',
    flag: 'public-url',
    example: 'https://tables.example.org',
    help: 'Address under which browsers reach the service. Used in links; with https, cookies are marked Secure.',
    read: webAddress,
  },
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    flag: 'trusted-proxies',
    example: '10.0.0.0/8,::1',
    help: 'Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed.',
    read: addressList,
  },
  dataDir: {
    env: 'ROWHOUSE_DATA_DIR',
    flag: 'data-dir',
    default: './data',
    example: '/var/lib/rowhouse',
    help: 'Folder for the database inside, and for files. Made if it is missing.',
    read: text,
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    flag: 'database-url',
    example: 'postgres://user:password@db.example.org:5432/name?sslmode=verify-full',
    help: 'Use this PostgreSQL (15 or newer) instead of the one inside. sslmode: disable, prefer, require, verify-ca or verify-full.',
    read: readUri,
  },
  databaseDirectUrl: {
    env: 'DATABASE_DIRECT_URL',
    flag: 'database-direct-url',
    example: 'postgres://user:password@db.example.org:5432/name',
    help: 'The same database without a pooler between; migrations use it. Needed with PgBouncer in transaction mode.',
    read: readUri,
  },
  databaseCa: {
    env: 'DATABASE_CA_FILE',
    flag: 'database-ca-file',
    example: '/etc/ssl/db-ca.pem',
    help: 'Certificates that the database server’s certificate is checked against (for verify-ca and verify-full).',
    read: fileText,
  },
  databasePoolSize: {
    env: 'DATABASE_POOL_SIZE',
    flag: 'database-pool-size',
    default: '10',
    example: '20',
    help: 'Connections to the database that this instance may open, besides one for each export and import.',
    read: integer(1, 500),
  },
  databaseConnectTimeoutMs: {
    env: 'DATABASE_CONNECT_TIMEOUT',
    flag: 'database-connect-timeout',
    default: '5s',
    example: '10s',
    help: 'How long one attempt to connect to the database may take.',
    read: duration(1000, 60_000),
  },
  databasePrepare: {
    env: 'DATABASE_PREPARE',
    flag: 'database-prepare',
    default: '1',
    example: '0',
    help: 'Use named prepared statements. Set 0 for PgBouncer in transaction mode.',
    read: flag,
  },
  postgresUser: {
    env: 'ROWHOUSE_POSTGRES_USER',
    flag: 'postgres-user',
    shownDefault: 'rowhouse, postgres or nobody',
    example: 'postgres',
    help: 'When started by root: the user that runs the PostgreSQL inside, which refuses to run as root.',
    read: unixUser,
  },
  schemas: {
    env: 'ROWHOUSE_SCHEMAS',
    flag: 'schemas',
    default: '',
    shownDefault: 'none',
    example: 'public,crm',
    help: 'Schemas of the database that are served beside `data`, by comma. A bare table name means the first that has it.',
    read: schemaList,
  },
  rpc: {
    env: 'ROWHOUSE_RPC',
    flag: 'rpc',
    default: '',
    shownDefault: 'none',
    example: 'crm.monthly_report,crm.merge',
    help: 'Functions of served schemas that may be called at /rest/v1/rpc/{function}, by comma.',
    read: functionList,
  },
  queryTimeoutMs: {
    env: 'ROWHOUSE_QUERY_TIMEOUT',
    flag: 'query-timeout',
    default: '30s',
    example: '10s',
    help: 'How long one query may run before it is cancelled and answered with 503.',
    read: duration(100, 230_000),
  },
  maxBodyBytes: {
    env: 'ROWHOUSE_MAX_BODY_BYTES',
    flag: 'max-body-bytes',
    default: '1MB',
    example: '8MB',
    help: 'Largest JSON body that is read.',
    read: size(1024, 2 ** 28),
  },
  maxUploadBytes: {
    env: 'ROWHOUSE_MAX_UPLOAD_BYTES',
    flag: 'max-upload-bytes',
    default: '1GB',
    example: '200MB',
    help: 'Largest file that is taken, as for an import.',
    read: size(1024, 2 ** 40),
  },
  exportConcurrency: {
    env: 'ROWHOUSE_EXPORT_CONCURRENCY',
    flag: 'export-concurrency',
    default: '4',
    example: '8',
    help: 'Exports that run at the same time on this instance, each on a connection of its own; more wait, then get 503.',
    read: integer(1, 100),
  },
  importConcurrency: {
    env: 'ROWHOUSE_IMPORT_CONCURRENCY',
    flag: 'import-concurrency',
    default: '2',
    example: '4',
    help: 'Imports that run at the same time on this instance, each on a connection of its own; more wait, then get 503.',
    read: integer(1, 100),
  },
  transferTimeoutMs: {
    env: 'ROWHOUSE_TRANSFER_TIMEOUT',
    flag: 'transfer-timeout',
    default: '1h',
    example: '15m',
    help: 'How long one export or import may take in all.',
    read: duration(1000, 24 * 3_600_000),
  },
  maxUploadRequestBytes: {
    env: 'ROWHOUSE_MAX_UPLOAD_REQUEST_BYTES',
    flag: 'max-upload-request-bytes',
    default: '4GB',
    example: '500MB',
    help: 'Most that one upload of several files may hold in all.',
    read: size(1024, 2 ** 42),
  },
  maxCellFiles: {
    env: 'ROWHOUSE_MAX_CELL_FILES',
    flag: 'max-cell-files',
    default: '100',
    example: '20',
    help: 'Most files in one cell, and in one upload; a column may allow fewer.',
    read: integer(1, 1000),
  },
  minFreeBytes: {
    env: 'ROWHOUSE_MIN_FREE_BYTES',
    flag: 'min-free-bytes',
    default: '256MB',
    example: '2GB',
    help: 'Room that uploads leave on the disk of the data directory; below it they are refused with 507.',
    read: size(0, 2 ** 50),
  },
  filesGraceMs: {
    env: 'ROWHOUSE_FILES_GRACE',
    flag: 'files-grace',
    default: '24h',
    example: '168h',
    help: 'How long the bytes of a removed file are kept.',
    read: duration(1000, 8760 * 3_600_000),
  },
  s3Bucket: {
    env: 'S3_BUCKET',
    flag: 's3-bucket',
    example: 'rowhouse-files',
    help: 'Keep files in this bucket of S3 instead of the data directory. Needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
    read: text,
  },
  s3Endpoint: {
    env: 'S3_ENDPOINT',
    flag: 's3-endpoint',
    shownDefault: 'Amazon’s, for the region',
    example: 'https://minio.example.org:9000',
    help: 'Address of another service that speaks S3.',
    read: webAddress,
  },
  s3Region: {
    env: 'S3_REGION',
    flag: 's3-region',
    default: 'us-east-1',
    example: 'eu-central-1',
    help: 'Region of the bucket.',
    read: text,
  },
  s3AccessKeyId: { env: 'S3_ACCESS_KEY_ID', flag: 's3-access-key-id', example: 'AKIA…', help: 'Name of the key for S3.', read: text },
  s3SecretAccessKey: {
    env: 'S3_SECRET_ACCESS_KEY',
    flag: 's3-secret-access-key',
    example: '(40 characters)',
    help: 'The key for S3.',
    read: text,
  },
  s3Prefix: {
    env: 'S3_PREFIX',
    flag: 's3-prefix',
    default: '',
    example: 'rowhouse/',
    help: 'What the names of all objects in the bucket begin with.',
    read: objectPrefix,
  },
  s3VirtualHosted: {
    env: 'S3_VIRTUAL_HOSTED',
    flag: 's3-virtual-hosted',
    default: '0',
    example: '1',
    help: 'S3_ENDPOINT names the bucket in its host (bucket.s3.example.org).',
    read: flag,
  },
  transferIdleMs: {
    env: 'ROWHOUSE_TRANSFER_IDLE_TIMEOUT',
    flag: 'transfer-idle-timeout',
    default: '60s',
    example: '30s',
    help: 'How long the reader of an export or the sender of an import may stall before it is ended.',
    read: duration(500, 3_600_000),
  },
  pluginsDir: {
    env: 'ROWHOUSE_PLUGINS_DIR',
    flag: 'plugins-dir',
    default: './plugins',
    example: '/etc/rowhouse/plugins',
    help: 'Folder that plugins are loaded from at the start; it need not be there. What lies in it runs with the rights of the service.',
    read: text,
  },
  pluginsStrict: {
    env: 'ROWHOUSE_PLUGINS_STRICT',
    flag: 'plugins-strict',
    default: '0',
    example: '1',
    help: 'Do not start when a plugin cannot be loaded, instead of leaving it out.',
    read: flag,
  },
  pluginTimeoutMs: {
    env: 'ROWHOUSE_PLUGIN_TIMEOUT',
    flag: 'plugin-timeout',
    default: '30s',
    example: '5s',
    help: 'How long one call of a plugin may take before it is answered with 503.',
    read: duration(100, 230_000),
  },
  setupCode: {
    env: 'SETUP_CODE',
    flag: 'setup-code',
    shownDefault: 'made at start and printed',
    example: '6f1d0c9a8b7e4f5d',
    help: 'The one-time code that POST /auth/setup asks for.',
    read: setupCode,
  },
  adminEmail: {
    env: 'ROWHOUSE_ADMIN_EMAIL',
    flag: 'admin-email',
    example: 'ada@example.org',
    help: 'Unattended set-up: makes this first administrator at the first start. Needs ROWHOUSE_ADMIN_PASSWORD_FILE.',
    read: text,
  },
  adminPassword: {
    env: 'ROWHOUSE_ADMIN_PASSWORD_FILE',
    flag: 'admin-password-file',
    example: '/run/secrets/rowhouse-admin',
    help: 'File whose first line is that administrator’s password.',
    read: firstLine,
  },
  sessionIdleTimeoutMs: {
    env: 'ROWHOUSE_SESSION_IDLE_TIMEOUT',
    flag: 'session-idle-timeout',
    default: '0s',
    shownDefault: 'off',
    example: '8h',
    help: 'Ends a session that was not used for so long; it ends after 7 days in any case.',
    read: offOr(duration(5 * 60_000, 7 * 24 * 3_600_000)),
  },
  auditRetentionDays: {
    env: 'ROWHOUSE_AUDIT_RETENTION_DAYS',
    flag: 'audit-retention-days',
    default: '365',
    example: '90',
    help: 'How many days the audit log is kept.',
    read: integer(1, 36_500),
  },
  argon2MemoryKib: {
    env: 'ROWHOUSE_ARGON2_MEMORY_KIB',
    flag: 'argon2-memory-kib',
    default: '19456',
    example: '65536',
    help: 'Memory of one password hash (argon2id). Stronger settings take effect for each user at the next sign-in.',
    read: integer(12_288, 4_194_304),
  },
  argon2Passes: {
    env: 'ROWHOUSE_ARGON2_PASSES',
    flag: 'argon2-passes',
    default: '2',
    example: '3',
    help: 'Passes of one password hash. With the memory at least OWASP’s floor: 1 pass with 47104 KiB, 2 with 19456, 3 with 12288.',
    read: integer(1, 100),
  },
  argon2Concurrency: {
    env: 'ROWHOUSE_ARGON2_CONCURRENCY',
    flag: 'argon2-concurrency',
    default: String(Math.min(4, availableParallelism())),
    shownDefault: 'cores, at most 4',
    example: '2',
    help: 'Passwords hashed at the same time; more wait in a queue of 64.',
    read: integer(1, 64),
  },
  publicDocs: {
    env: 'ROWHOUSE_PUBLIC_DOCS',
    flag: 'public-docs',
    default: '0',
    example: '1',
    help: 'Show /swagger and /swagger/json without sign-in.',
    read: flag,
  },
  logLevel: {
    env: 'LOG_LEVEL',
    flag: 'log-level',
    default: 'info',
    example: 'debug',
    help: 'trace, debug, info, warn, error, fatal or silent. debug shows every request.',
    read: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  logFormat: {
    env: 'LOG_FORMAT',
    flag: 'log-format',
    shownDefault: 'text on a terminal, else json',
    example: 'json',
    help: 'text for people, json for machines (one object a line).',
    read: oneOf('text', 'json'),
  },
} satisfies Record<string, Setting<unknown>>

export type SettingKey = keyof typeof settings
