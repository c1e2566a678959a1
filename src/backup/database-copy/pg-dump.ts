import { spawn } from 'node:child_process'
import { childEnvironment, ownCommand } from '../../db/embedded/become'
import type { ConnectionTarget } from '../../db/pool/open'
import { openRawSession } from '../../db/pool/raw-session'
import type { Config } from '../../ops/settings/config'
import { BackupError } from '../errors'
import type { DumpWord } from './pg-dump-process'

/** Name of the internal sub-command; not in --help. */
export const pgDumpCommand = '__pg_dump'

/** The database that pg_dump reads, of any server that the settings reach. */
export type DumpSource = { target: ConnectionTarget; config: Config }

/**
 * Runs the bundled pg_dump of `pg-dump-process.ts`.
 * @returns its output, plain SQL @throws BackupError with the error messages of pg_dump; the signal's reason
 */
export async function pgDump({ target, config }: DumpSource, args: readonly string[], signal: AbortSignal): Promise<string> {
  const { socket, greeting } = await openRawSession(target, config)
  const { user = '', database = user } = 'uri' in target ? target.uri : target
  const [command = '', ...before] = ownCommand()
  const child = spawn(command, [...before, pgDumpCommand, `--dbname=user=${quoted(user)} dbname=${quoted(database)}`, ...args], {
    env: childEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
  })
  const end = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', end)
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('The process has no pipes.')
  let word: DumpWord = { failed: 'The process ended.' }
  let errors = ''
  child.on('message', (given: DumpWord) => {
    word = given
    child.disconnect()
  })
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  // One end of the pipe closes before the other.
  for (const stream of [socket, stdin, stdout]) stream.on('error', () => {})
  socket.on('close', () => stdin.end())
  let begun: Buffer = Buffer.alloc(0)
  // The session is already authenticated, since pg_dump does not get the password.
  const onStart = (chunk: Buffer) => {
    begun = Buffer.concat([begun, chunk])
    if (begun.length < 4 || begun.length < begun.readInt32BE(0)) return
    stdout.off('data', onStart)
    stdin.write(greeting)
    socket.pipe(stdin)
    stdout.pipe(socket)
  }
  stdout.on('data', onStart)
  try {
    signal.throwIfAborted()
    await new Promise<void>((done) => child.once('close', () => done()))
    signal.throwIfAborted()
    const said = word as DumpWord
    if ('sql' in said) return withoutServerOptions(said.sql)
    throw new BackupError(`The definitions could not be read: ${said.failed} ${errors}`.trim())
  } finally {
    signal.removeEventListener('abort', end)
    socket.destroy()
  }
}

const quoted = (value: string) => `'${value.replace(/[\\']/g, '\\$&')}'`

/** A name may contain a line break. */
const columnOptions =
  /^(ALTER (?:FOREIGN )?TABLE (?:ONLY )?(?:"(?:[^"]|"")*"|[^\s"])+ ALTER COLUMN (?:"(?:[^"]|"")*"|[^\s"])+) SET \((.*\bpg_attver=.*)\);$/gm

/**
 * Minor releases of November 2026 store an internal number in the options of each column (`pg_attver`). A pg_dump that
 * does not know it includes it in the dump, and other servers reject it.
 */
export const withoutServerOptions = (sql: string): string =>
  sql.replace(columnOptions, (_, column: string, options: string) => {
    const others = options.split(', ').filter((option) => !option.startsWith('pg_attver='))
    return others.length > 0 ? `${column} SET (${others.join(', ')});` : ''
  })
