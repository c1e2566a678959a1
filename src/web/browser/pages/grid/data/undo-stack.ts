import type { Values } from './cell-values'

/** Of a cell that nobody looked at when it was written: any value may be replaced. */
export const unseen = Symbol('unseen')

/** One cell of a record, before (`unseen` or what was seen) and after somebody has written it here. */
export type Change = { key: string; column: string; before: unknown; after: unknown }

/** What takes a change back. */
export const inverted = ({ before, after, ...rest }: Change): Change => ({ ...rest, before: after, after: before })

/** What was done here in one go: cells that were written, or whole records that were made or deleted, as they were last seen. */
export type Step = { kind: 'cells'; changes: Change[] } | RowStep
export type RowStep = { kind: 'made' | 'deleted'; records: Values[] }

/** What can be undone, and what was and can be done again. */
export type Side = 'done' | 'undone'

/** So many steps can be taken back. */
const mostSteps = 100

/** What was done here, so that it can be undone and done again. */
export class History {
  private readonly steps: Record<Side, Step[]> = { done: [], undone: [] }

  add(step: Step) {
    this.put('done', step)
    this.steps.undone = []
  }

  clear() {
    this.steps.done = []
    this.steps.undone = []
  }

  take = (side: Side): Step | undefined => this.steps[side].pop()

  put(side: Side, step: Step) {
    this.steps[side] = [...this.steps[side], step].slice(-mostSteps)
  }
}
