import type { Values } from './cell-values'

/** Somebody else has changed the same cell in the meantime. */
export type Conflict = { key: string; record: Values; column: string; mine: unknown; theirs: unknown }
export type Choice = 'mine' | 'theirs'

type Question = { conflicts: Conflict[]; answer: (choices: Choice[]) => void }

/** Which of two values is to stay, asked once for all cells that were written together. A question waits until the table is looked at again. */
export class Questions {
  private waiting: Question[] = []
  private readonly listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** What is asked now. */
  readonly first = (): Conflict[] | null => this.waiting[0]?.conflicts ?? null

  ask(conflicts: Conflict[]): Promise<Choice[]> {
    return new Promise((answer) => {
      this.waiting.push({ conflicts, answer })
      this.tell()
    })
  }

  readonly answer = (choices: Choice[]) => {
    this.waiting.shift()?.answer(choices)
    this.tell()
  }

  private tell() {
    for (const listener of this.listeners) listener()
  }
}
