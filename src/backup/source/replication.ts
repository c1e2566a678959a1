import { createConnection, type Socket } from 'node:net'

type SocketTarget = { socketPath: string; user: string; database: string }

/** One message of the server: its type (a letter) and the bytes after the length. */
type Message = { type: string; body: Buffer }

/** An error of PostgreSQL. `code` is its SQLSTATE; `notices` are the messages that preceded it. */
export class ReplicationError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly notices: string[],
  ) {
    super(message)
  }
}

/** A session that takes replication commands; PostgreSQL's process for it is a walsender. */
export type ReplicationSession = {
  /** The walsender's process id. */
  pid: number
  /** Runs a command. @returns the messages of copy mode @throws ReplicationError, errors of the socket */
  copy: (command: string) => AsyncGenerator<Buffer>
  close: () => void
}

/** The `application_name` in PostgreSQL's views. */
const backupSession = 'rowhouse backup'

const protocolVersion = 196_608

/**
 * Implements as much of PostgreSQL's protocol (its manual, 54.7) as BASE_BACKUP needs. postgres.js joins the messages
 * of a copy, but the bytes of BASE_BACKUP do not show where a message ends. The session names a database, so that the
 * rules of pg_hba.conf for ordinary connections apply.
 */
export async function openReplication({ socketPath, user, database }: SocketTarget): Promise<ReplicationSession> {
  const socket = createConnection({ path: socketPath })
  const messages = readMessages(socket)
  const next = async (): Promise<Message> => {
    const { value, done } = await messages.next()
    if (done) throw Object.assign(new Error('The database ended the connection.'), { code: 'ECONNRESET' })
    return value
  }
  let notices: string[] = []
  const handle = ({ type, body }: Message) => {
    if (type === 'N') notices.push(toError(body, []).message)
    if (type === 'E') throw toError(body, notices)
  }
  socket.write(startup({ user, database, application_name: backupSession, replication: 'database' }))
  let pid = 0
  try {
    for (let message = await next(); message.type !== 'Z'; message = await next()) {
      handle(message)
      if (message.type === 'K') pid = message.body.readUInt32BE(0)
      if (message.type === 'R' && message.body.readUInt32BE(0) !== 0) throw new Error('The database asks for a password.')
    }
  } catch (error) {
    socket.destroy()
    throw error
  }
  return {
    pid,
    close: () => void socket.destroy(),
    copy: async function* (command) {
      notices = []
      socket.write(frame('Q', Buffer.from(`${command}\0`)))
      for (let message = await next(); message.type !== 'Z'; message = await next()) {
        handle(message)
        if (message.type === 'd') yield message.body
      }
    },
  }
}

function frame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(type.length + 4)
  head.write(type, 'latin1')
  head.writeUInt32BE(body.byteLength + 4, type.length)
  return Buffer.concat([head, body])
}

function startup(parameters: Record<string, string>): Buffer {
  const texts = Object.entries(parameters).flat()
  const version = Buffer.alloc(4)
  version.writeUInt32BE(protocolVersion)
  return frame('', Buffer.concat([version, Buffer.from(`${texts.join('\0')}\0\0`)]))
}

/** Reads on demand: without a reader, the socket fills up, so PostgreSQL also waits. */
async function* readMessages(socket: Socket): AsyncGenerator<Message, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    rest = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    while (rest.byteLength - at >= 5) {
      const end = at + 1 + rest.readUInt32BE(at + 1)
      if (rest.byteLength < end) break
      yield { type: String.fromCharCode(rest[at]!), body: rest.subarray(at + 5, end) }
      at = end
    }
    rest = rest.subarray(at)
  }
}

/** The fields, each with a letter and a text. */
function toError(body: Buffer, notices: string[]): ReplicationError {
  const fields = new Map(
    body
      .toString('utf8')
      .split('\0')
      .filter(Boolean)
      .map((field) => [field[0], field.slice(1)] as const),
  )
  return new ReplicationError(fields.get('M') ?? 'unknown', fields.get('C') ?? '', notices)
}
