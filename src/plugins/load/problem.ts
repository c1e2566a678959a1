import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** Why a plugin is not loaded. `file` is relative to the plugins directory; `line` and `column` count from 1. */
export type PluginProblem = { file: string; line: number | null; column: number | null; message: string }

/** A problem of the whole plugin, or of one of its files. */
export const problemIn = (file: string, message: string): PluginProblem => ({ file, line: null, column: null, message })

type Position = { file?: string; line?: number; column?: number }

/**
 * The problems that an error during loading reports, with their places.
 * @param folder the plugins directory, absolute
 * @param fallback the file to name when the error names none in the plugins directory
 */
export function problemsFrom(error: unknown, folder: string, fallback: string): PluginProblem[] {
  if (error instanceof AggregateError && error.errors.length) return error.errors.flatMap((each) => problemsFrom(each, folder, fallback))
  const missing = missingImport(messageOf(error))
  if (missing) return [{ ...missing, file: relative(folder, missing.file) }]
  const { position } = Object(error) as { position?: Position | null }
  const message = messageOf(error)
  const at = position?.file ? position : placeIn(String((error as { stack?: unknown })?.stack ?? ''), folder)
  if (!at?.file) return [problemIn(fallback, message)]
  return [{ file: relative(folder, at.file), line: at.line ?? null, column: at.column ?? null, message }]
}

/** The first frame of a stack trace in the plugins directory. */
export function placeIn(stack: string, folder: string): Position | null {
  for (const line of stack.split('\n')) {
    const [, file, row, column] = /\(?((?:\/|file:\/\/)[^():]*):(\d+):(\d+)\)?\s*$/.exec(line) ?? []
    const path = file?.replace(/^file:\/\//, '').replace(/\?.*$/, '')
    if (path?.startsWith(`${folder}/`)) return { file: path, line: Number(row), column: Number(column) }
  }
  return null
}

/** Bun's message names the importing file, but not the line. */
function missingImport(message: string): PluginProblem | null {
  const [, found = '', name = '', file = ''] = /^(.*'([^']+)') (?:imported )?from '?([^']+?)'?$/.exec(message) ?? []
  if (!existsSync(file)) return null
  const index = readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(name))
  return { file, line: index < 0 ? null : index + 1, column: null, message: `${found}.` }
}

function messageOf(error: unknown): string {
  const text = error instanceof Error || isMessage(error) ? error.message : String(error)
  return text.split('\n')[0]!.slice(0, 500) || 'threw something without a message'
}

/** Bun's BuildMessage and ResolveMessage are not instances of Error. */
const isMessage = (error: unknown): error is { message: string } => typeof (error as { message?: unknown } | null)?.message === 'string'

/** `hello/plugin.ts:3:7: message`, or the message alone about the whole directory, for a terminal and for the log. */
export const problemLine = ({ file, line, column, message }: PluginProblem): string =>
  file === '.' ? message : `${[file, line, column].filter((part) => part !== null).join(':')}: ${message}`
