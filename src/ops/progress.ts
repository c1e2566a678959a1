/** Receives the progress of a long command. */
export type WorkProgress = {
  /** Begins a step. `total` is the approximate number of bytes to process; null if unknown. */
  begin: (step: string, total: number | null) => void
  add: (bytes: number) => void
  /** Prints a permanent line. */
  say: (sentence: string) => void
}
