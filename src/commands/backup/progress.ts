import { megabytes } from '../../backup/disk-space'
import type { WorkProgress } from '../../ops/progress'

const everyMs = 1000

/** Shows the progress of a long command on standard error. */
export type Progress = WorkProgress & {
  /** Prints one line of the result on standard output, even with `--quiet`. */
  tell: (line: string) => void
  end: () => void
}

/** On a terminal, one line that is updated; elsewhere, one line per step. Nothing with `--quiet`. */
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
      // Not console.error, which prints in red on a terminal.
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
