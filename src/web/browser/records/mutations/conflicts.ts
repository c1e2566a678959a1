import type { RecordValues } from '../values/cell-values'

/** A cell that another user has changed in the meantime. */
export type CellConflict = { key: string; record: RecordValues; column: string; mine: unknown; theirs: unknown }
export type ConflictChoice = 'mine' | 'theirs'

type ConflictRequest = { conflicts: CellConflict[]; answer: (choices: ConflictChoice[]) => void }

/**
 * Conflicts that wait for the user's decision, one request for all cells of a write. A request waits until its table is
 * open.
 */
export class ConflictQueue {
  private requests: ConflictRequest[] = []
  private readonly listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** The conflicts to show now. */
  readonly current = (): CellConflict[] | null => this.requests[0]?.conflicts ?? null

  ask(conflicts: CellConflict[]): Promise<ConflictChoice[]> {
    return new Promise((answer) => {
      this.requests.push({ conflicts, answer })
      this.notify()
    })
  }

  readonly answer = (choices: ConflictChoice[]) => {
    this.requests.shift()?.answer(choices)
    this.notify()
  }

  private notify() {
    for (const listener of this.listeners) listener()
  }
}
