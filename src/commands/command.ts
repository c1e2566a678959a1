import type { Failure } from '../errors'
import type { Config } from '../ops/config'

/** One command of the executable. */
export type Command = {
  name: string
  /** What stands behind the name in --help, for example `FILE`. */
  arguments?: string
  summary: string
  /** More for `rowhouse <name> --help`. */
  description: string
  run: (context: { config: Config; positionals: string[] }) => Promise<number>
}

/** Something is wrong with how the command was called or where it runs; the message is all that is shown. Exits with 1. */
export class CommandError extends Error {}

/** What a failure says to somebody at a terminal: its message, and what is wrong with each value. */
export const sentenceOf = ({ message, extras }: Failure): string =>
  [message, ...(extras.errors ?? []).map((problem) => problem.message)].join(' ')
