import { createConnection, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Config } from '../../ops/settings/config'
import { type ConnectionTarget, connectOver, tlsOptions } from './open'

/** An authenticated, idle session, in which another program can speak PostgreSQL's protocol. */
export type RawSession = {
  socket: Socket
  /** The server's response to a start-up message that needs no authentication. */
  greeting: Buffer
}

const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
/** The server's byte for "yes". */
const willing = 'S'

/** The driver signs in as usual; then the socket belongs to the caller, who must destroy it. */
export async function openRawSession(target: ConnectionTarget, config: Config): Promise<RawSession> {
  let socket: Socket | null = null
  let attempt = 0
  const sql = connectOver(target, config, async () => {
    socket = await openSocket(target, config, attempt++)
    return socket
  })
  await sql`select 1`
  const opened = socket as unknown as Socket
  opened.removeAllListeners()
  return { socket: opened, greeting: greet(sql.parameters as unknown as Record<string, string>) }
}

/** @param first the index of the host to begin with; the previous one did not match the settings */
async function openSocket(target: ConnectionTarget, config: Config, first: number): Promise<Socket> {
  if (!('uri' in target)) return opened({ path: target.socketPath }, config)
  const { hosts, ports } = target.uri
  for (let tried = 0; ; tried++) {
    const at = (first + tried) % hosts.length
    const [host, port] = [hosts[at]!, ports[at]!]
    try {
      if (host.startsWith('/')) return await opened({ path: `${host}/.s.PGSQL.${port}` }, config)
      const ssl = tlsOptions(target.uri, config.databaseCa ?? target.uri.ca)
      const socket = await opened({ host, port }, config)
      return ssl === false ? socket : await secured(socket, host, ssl)
    } catch (error) {
      if (tried + 1 >= hosts.length) throw error
    }
  }
}

function opened(place: { path: string } | { host: string; port: number }, { databaseConnectTimeoutMs }: Config): Promise<Socket> {
  const socket = createConnection(place)
  return new Promise((done, fail) => {
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('The database does not answer.'), { code: 'CONNECT_TIMEOUT' })),
      databaseConnectTimeoutMs,
    )
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.removeAllListeners()
      done(socket)
    })
    socket.once('error', (error) => {
      clearTimeout(timer)
      fail(error)
    })
  })
}

/** PostgreSQL's manual, 54.2.10. */
async function secured(socket: Socket, host: string, ssl: 'prefer' | object): Promise<Socket> {
  socket.write(sslRequest)
  const answer = await new Promise<string>((done, fail) => {
    socket.once('data', (bytes: Buffer) => done(String.fromCharCode(bytes[0]!)))
    socket.once('error', fail)
    socket.once('close', () => fail(Object.assign(new Error('The database ended the connection.'), { code: 'ECONNRESET' })))
  })
  socket.removeAllListeners()
  if (answer !== willing && ssl === 'prefer') return socket
  if (answer !== willing) {
    socket.destroy()
    throw new Error('The database offers no TLS, which its sslmode asks for.')
  }
  const secure = connectTls({
    socket,
    ...(isIP(host) ? {} : { servername: host }),
    ...(ssl === 'prefer' ? { rejectUnauthorized: false } : ssl),
  })
  return new Promise((done, fail) => {
    secure.once('error', fail)
    secure.once('secureConnect', () => {
      secure.removeAllListeners()
      done(secure)
    })
  })
}

/** AuthenticationOk, ParameterStatus, BackendKeyData and ReadyForQuery (PostgreSQL's manual, 54.7). */
const greet = (parameters: Record<string, string>): Buffer =>
  Buffer.concat([
    message('R', Buffer.alloc(4)),
    ...Object.entries(parameters).map(([name, value]) => message('S', Buffer.from(`${name}\0${value}\0`))),
    message('K', Buffer.alloc(8)),
    message('Z', Buffer.from('I')),
  ])

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(body.byteLength + 4, 1)
  return Buffer.concat([head, body])
}
