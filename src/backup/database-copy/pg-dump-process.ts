import { readSync, writeSync } from 'node:fs'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'

/** The result of the process: the dump, or the reason why it failed. */
export type DumpWord = { sql: string } | { failed: string }

/** Replaces the PGlite that the package expects, and answers at once. */
type Server = Parameters<typeof pgDump>[0]['pg']

const server = 0
const client = 1
const chunkBytes = 2 ** 16
const pauseMs = 1

/** The protocol messages that the server answers with ReadyForQuery, and that message itself. */
const query = 'Q'.charCodeAt(0)
const sync = 'S'.charCodeAt(0)
const ready = 'Z'.charCodeAt(0)

/**
 * Runs pg_dump, which is compiled to WebAssembly and has no sockets: its requests to PostgreSQL go to standard output,
 * and the responses come from standard input. It blocks until each response arrives, so it runs in a separate process.
 * @returns the exit code
 */
export async function runPgDump(args: string[]): Promise<number> {
  process.send?.(await dump(args))
  // A process that exits drops the unwritten part of a long message.
  if (process.connected) await new Promise<void>((received) => process.once('disconnect', () => received()))
  return 0
}

async function dump(args: string[]): Promise<DumpWord> {
  try {
    // The package reads the search path and restores it, for sessions that it shares with other code.
    const session = { query: async () => ({ rows: [{ search_path: '' }] }), exec: async () => [], execProtocolRawStream: createWire() }
    const file = await pgDump({ pg: session as unknown as Server, args })
    return { sql: await file.text() }
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}

/** Sends the bytes that pg_dump writes. After each complete request it reads the complete response. */
function createWire() {
  let sent: Buffer = Buffer.alloc(0)
  let hasBegun = false
  /** Removes the complete messages from the buffer. @returns whether PostgreSQL answers them */
  const isAsked = (): boolean => {
    for (let asked = false; ; ) {
      // The first message has no type.
      const lengthAt = hasBegun ? 1 : 0
      const end = sent.length < lengthAt + 4 ? Number.POSITIVE_INFINITY : lengthAt + sent.readInt32BE(lengthAt)
      if (sent.length < end) return asked
      asked ||= !hasBegun || sent[0] === query || sent[0] === sync
      hasBegun = true
      sent = sent.subarray(end)
    }
  }
  return (bytes: Uint8Array, { onRawData }: { onRawData: (answer: Uint8Array) => void }) => {
    writeWhole(bytes)
    sent = Buffer.concat([sent, bytes])
    if (isAsked()) onRawData(readAnswer())
  }
}

function readAnswer(): Buffer {
  const chunks: Buffer[] = []
  let rest: Buffer = Buffer.alloc(0)
  for (;;) {
    const chunk = readChunk()
    // A server that refuses the session sends the reason and closes the connection.
    if (chunk.length === 0 && chunks.length > 0) return Buffer.concat(chunks)
    if (chunk.length === 0) throw new Error('PostgreSQL has closed the connection.')
    chunks.push(chunk)
    rest = Buffer.concat([rest, chunk])
    let isReady = false
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      isReady = rest[0] === ready
      rest = rest.subarray(1 + rest.readInt32BE(1))
    }
    if (isReady) return withoutCommands(Buffer.concat(chunks))
  }
}

/**
 * The package removes the lines of a dump that are commands of psql (`\restrict`), and would also remove such a line
 * from a function or a comment.
 */
function withoutCommands(answer: Buffer): Buffer {
  if (/[\n\r\u2028\u2029]\\(un)?restrict\b/i.test(answer.toString())) {
    throw new Error('A line of a definition begins with \\restrict or \\unrestrict, which cannot be told from a command of psql.')
  }
  return answer
}

function readChunk(): Buffer {
  const chunk = Buffer.alloc(chunkBytes)
  return chunk.subarray(
    0,
    patiently(() => readSync(server, chunk)),
  )
}

function writeWhole(bytes: Uint8Array) {
  for (let offset = 0; offset < bytes.length; ) offset += patiently(() => writeSync(client, bytes, offset))
}

/** Retries while a non-blocking pipe is not ready. */
function patiently(work: () => number): number {
  for (;;) {
    try {
      return work()
    } catch (error) {
      if ((error as { code?: string }).code !== 'EAGAIN') throw error
      Bun.sleepSync(pauseMs)
    }
  }
}
