import { setPriority } from 'node:os'

/** Behind the service and its database, wherever both want the processor. */
const niceness = 10

export function lowerPriority(): void {
  try {
    setPriority(niceness)
  } catch {
    // Not allowed everywhere, and nothing depends on it.
  }
}
