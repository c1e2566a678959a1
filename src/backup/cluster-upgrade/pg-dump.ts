import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { childEnvironment, ownCommand } from '../../db/embedded/become'
import type { socketTarget } from '../../db/embedded/postmaster'
import { BackupError } from '../errors'
import type { DumpWord } from './pg-dump-process'

/** Name of the internal sub-command; not in --help. */
export const pgDumpCommand = '__pg_dump'

type Target = ReturnType<typeof socketTarget>

/**
 * What pg_dump writes with these arguments, as plain SQL. It is the packed one of `pg-dump-process.ts`.
 * @throws BackupError with its last words, the signal's reason
 */
export async function pgDump({ socketPath, user, database }: Target, args: readonly string[], signal: AbortSignal): Promise<string> {
  const socket = connect(socketPath)
  const [command = '', ...before] = ownCommand()
  const child = spawn(command, [...before, pgDumpCommand, `--dbname=user=${user} dbname=${database}`, ...args], {
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
  })
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  // One end is gone before the other.
  for (const stream of [socket, stdin, stdout]) stream.on('error', () => {})
  socket.on('close', () => stdin.end())
  socket.pipe(stdin)
  stdout.pipe(socket)
  try {
    signal.throwIfAborted()
    await new Promise<void>((done) => child.once('close', () => done()))
    signal.throwIfAborted()
    const said = word as DumpWord
    if ('sql' in said) return said.sql
    throw new BackupError(`The definitions could not be read: ${said.failed} ${errors}`.trim())
  } finally {
    signal.removeEventListener('abort', end)
    socket.destroy()
  }
}
