/** One cell of a record, before and after somebody has written it here. */
export type Change = { key: string; column: string; before: unknown; after: unknown }

/** So many steps can be taken back. */
const mostSteps = 100

/** What was written here, so that it can be undone and done again. */
export class History {
  private done: Change[][] = []
  private undone: Change[][] = []

  add(step: Change[]) {
    this.done = [...this.done, step].slice(-mostSteps)
    this.undone = []
  }

  clear() {
    this.done = []
    this.undone = []
  }

  takeUndo = (): Change[] | undefined => this.done.pop()
  takeRedo = (): Change[] | undefined => this.undone.pop()

  /** A step that could not be taken back is forgotten: somebody else has gone on from there. */
  putUndone(step: Change[], isDone: boolean) {
    if (isDone) this.undone.push(step)
  }

  putRedone(step: Change[], isDone: boolean) {
    if (isDone) this.done.push(step)
  }
}
