import { type SpawnOptions, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './executable'
import { until } from './processes'

/** A third-party server, such as PostgreSQL or nginx. */
export type ServerProcess = {
  /** @throws Error with its output if it ends first, for example because its port is taken */
  untilReady: (what: string, isReady: () => boolean | Promise<boolean>) => Promise<void>
  /** Everything that it has printed. */
  output: () => string
  end: (signal: NodeJS.Signals) => Promise<void>
}

export function startServerProcess(program: string, args: string[], options: Omit<SpawnOptions, 'stdio'> = {}): ServerProcess {
  const log = join(newFolder(), 'output.log')
  const file = openSync(log, 'w')
  const child = spawn(program, args, { ...options, stdio: ['ignore', file, file] })
  closeSync(file)
  const exited = new Promise<number | string>((done) => child.once('exit', (code, signal) => done(code ?? signal ?? 'unknown')))
  const output = () => readFileSync(log, 'utf8')
  const untilReady = (what: string, isReady: () => boolean | Promise<boolean>) =>
    until(what, isReady, exited).catch((error: Error) => {
      throw new Error(`${error.message}\n${output()}`)
    })
  return {
    untilReady,
    output,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await exited
    },
  }
}
