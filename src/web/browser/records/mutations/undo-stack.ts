import type { RecordValues } from '../values/cell-values'

/** The previous value of a cell that was not loaded when it was written: any value may be overwritten. */
export const unknownValue = Symbol('unknown value')

/** A change of one cell. `before` may be `unknownValue`. */
export type CellChange = { key: string; column: string; before: unknown; after: unknown }

/** The change that undoes a change. */
export const invert = ({ before, after, ...rest }: CellChange): CellChange => ({ ...rest, before: after, after: before })

/**
 * One user action: written cells, created or deleted records, or several of these. The log undoes more than the values
 * allow, by the ids of requests: `deletedBy` deleted the records, and `takenBy` took linked records from other records,
 * in this order.
 */
export type UndoStep = CellUndoStep | RowUndoStep | { kind: 'several'; steps: UndoStep[] }
export type CellUndoStep = { kind: 'cells'; changes: CellChange[]; takenBy?: readonly string[] }
export type RowUndoStep = { kind: 'created' | 'deleted'; records: RecordValues[]; deletedBy?: string | null }

/** Several steps as one. */
export const joinSteps = (steps: readonly UndoStep[]): UndoStep | null =>
  steps.length > 1 ? { kind: 'several', steps: [...steps] } : (steps[0] ?? null)

export type StackName = 'undo' | 'redo'

const maxUndoSteps = 100

/** The history of the user's actions, for undo and redo. */
export class UndoStack {
  /** @param onChange called when a step is added or removed */
  constructor(private readonly onChange: () => void) {}

  private generation = 0
  private readonly steps: Record<StackName, UndoStep[]> = { undo: [], redo: [] }

  /** Resolves when every action that has begun is in the history. */
  recorded: Promise<unknown> = Promise.resolve()

  /**
   * Adds the step of a running action. Steps are in the order in which their actions began, not ended.
   * @param toStep gets the result, undefined after a failure; returns nothing if there is nothing to undo
   */
  record<T>(action: Promise<T>, toStep: (result?: T) => UndoStep | null | undefined): Promise<T> {
    const { generation } = this
    this.recorded = Promise.allSettled([action, this.recorded]).then(([ended]) => {
      const step = toStep(ended.status === 'fulfilled' ? ended.value : undefined)
      if (step && generation === this.generation) this.add(step)
    })
    return action
  }

  private add(step: UndoStep) {
    this.steps.redo = []
    this.push('undo', step)
  }

  /** Drops the steps of all actions that have begun. */
  clear() {
    this.generation++
    this.steps.undo = []
    this.steps.redo = []
    this.onChange()
  }

  pop(stack: StackName): UndoStep | undefined {
    const step = this.steps[stack].pop()
    this.onChange()
    return step
  }

  /** The steps that were pushed since the stack had `size` steps, removed from it. */
  takeSince(stack: StackName, size: number): UndoStep[] {
    return this.steps[stack].splice(size)
  }

  size = (stack: StackName): number => this.steps[stack].length

  push(stack: StackName, step: UndoStep) {
    this.steps[stack] = [...this.steps[stack], step].slice(-maxUndoSteps)
    this.onChange()
  }
}
