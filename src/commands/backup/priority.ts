import { setPriority } from 'node:os'

/** Lower priority than the service and its database, whenever both need the processor. */
const niceness = 10

export function lowerPriority(): void {
  try {
    setPriority(niceness)
  } catch {
    // Not permitted everywhere; nothing depends on it.
  }
}
