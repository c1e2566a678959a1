import { megabytes } from '../../backup/disk-space'

const everyMs = 1000

/** How far a long command is, on standard error. */
export type Progress = {
  /** Begins a step. `total` are the bytes that it takes, about; null where nobody knows. */
  begin: (step: string, total: number | null) => void
  add: (bytes: number) => void
  /** One line that stays. */
  say: (sentence: string) => void
  /** One line of the result, on standard output; with `--quiet`, too. */
  tell: (line: string) => void
  end: () => void
}

/**
 * On a terminal a line that changes; elsewhere a line for each step and none in between. Nothing of it with `--quiet`.
 */
export function createProgress(isQuiet: boolean): Progress {
  const isTerminal = process.stderr.isTTY === true
  let step = ''
  let total: number | null = null
  let done = 0
  let isShown = false
  const clear = () => {
    if (isShown) process.stderr.write('\r\x1b[K')
    isShown = false
  }
  const show = () => {
    if (step === '') return
    const share = total ? ` (${Math.min(99, Math.floor((done / total) * 100))} %)` : ''
    clear()
    process.stderr.write(`${step}: ${megabytes(done)}${share}`)
    isShown = true
  }
  const timer = isTerminal && !isQuiet ? setInterval(show, everyMs) : undefined
  return {
    begin: (next, bytes) => {
      step = next
      total = bytes
      done = 0
      if (isQuiet) return
      if (isTerminal) show()
      else process.stderr.write(`${next} …\n`)
    },
    add: (bytes) => {
      done += bytes
    },
    say: (sentence) => {
      clear()
      // Not console.error, which is red on a terminal.
      if (!isQuiet) process.stderr.write(`${sentence}\n`)
    },
    tell: (line) => {
      clear()
      console.log(line)
    },
    end: () => {
      clearInterval(timer)
      clear()
    },
  }
}
