import { ownCommand } from '../../db/embedded/become'
import { type LoadedPlugin, type LoadOptions, loadPlugin, tooLong } from './load'
import { type PluginProblem, problemIn } from './problem'

/** The name of the internal sub-command, which --help does not list. */
export const isolatedLoadCommand = '__try-plugins'

/** A message of the child process. */
type Word = { begun: string } | { ended: string; problems: PluginProblem[] }

/**
 * The parent waits this much longer than the child's own limit: a loop without `await` keeps the child from ending
 * itself.
 */
const slackMs = 1500

/** The longest time that a process takes to start, on a busy machine. */
const processStartMs = 30_000

/**
 * Loads plugins in a separate process first. A plugin that loops, ends the process or exhausts the memory does so
 * there, and is not loaded here.
 * @returns the problems of each plugin that has any, by name
 */
export async function loadIsolated(names: string[], options: LoadOptions): Promise<Map<string, PluginProblem[]>> {
  const found = new Map<string, PluginProblem[]>()
  let rest = names
  while (rest.length) {
    const { done, stuck } = await loadUntilStuck(rest, options)
    for (const [name, problems] of done) if (problems.length) found.set(name, problems)
    if (stuck) found.set(stuck.name, [problemIn(stuck.name, stuck.message)])
    rest = rest.filter((name) => !done.has(name) && name !== stuck?.name)
  }
  return found
}

type LoadOutcome = { done: Map<string, PluginProblem[]>; stuck: { name: string; message: string } | null }

async function loadUntilStuck(names: string[], { folder, limitMs, environment }: LoadOptions): Promise<LoadOutcome> {
  const done = new Map<string, PluginProblem[]>()
  let current: string | null = null
  let isLate = false
  const expire = () => {
    isLate = true
    child.kill('SIGKILL')
  }
  let timer = setTimeout(expire, processStartMs)
  const child = Bun.spawn([...ownCommand(), isolatedLoadCommand, folder, String(limitMs), ...names], {
    env: withoutBunOptions(environment),
    stdin: 'ignore',
    // The plugin prints the same again when it is loaded in the service.
    stdout: 'ignore',
    stderr: 'ignore',
    serialization: 'json',
    ipc: (word: Word) => {
      clearTimeout(timer)
      timer = setTimeout(expire, limitMs + slackMs)
      if ('begun' in word) current = word.begun
      else done.set(word.ended, word.problems)
    },
  })
  await child.exited
  clearTimeout(timer)
  // If the process never started, that says nothing about the plugins.
  if (current === null) return { done: new Map(names.map((name) => [name, []])), stuck: null }
  const name = done.has(current) ? names.find((each) => !done.has(each)) : current
  if (name === undefined) return { done, stuck: null }
  return { done, stuck: { name, message: isLate ? tooLong(limitMs) : 'Loading it ended the process that tried it.' } }
}

/** These variables would make the executable behave as Bun itself. */
function withoutBunOptions({ BUN_OPTIONS: _, BUN_BE_BUN: __, ...rest }: LoadOptions['environment']) {
  return rest
}

/** The child process: `__try-plugins <folder> <limitMs> <name…>`. @returns the exit code */
export async function runIsolatedLoad(
  [folder = '', limitMs = '', ...names]: string[],
  environment: LoadOptions['environment'],
): Promise<number> {
  process.on('unhandledRejection', () => {})
  for (const name of names) {
    tell({ begun: name })
    const { problems }: LoadedPlugin = await loadPlugin(name, { folder, limitMs: Number(limitMs), environment })
    tell({ ended: name, problems })
  }
  return 0
}

const tell = (word: Word) => void process.send?.(word)
