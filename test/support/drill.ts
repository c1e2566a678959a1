/** Whether `bun run drills` runs, which includes every test file that imports this one. */
export const isDrilling = process.env.TEST_DRILLS === '1'

/**
 * How often a test repeats: enough in the gate to run each path once, more in a drill, to try many inputs or points in
 * time.
 */
export const rounds = (gate: number, drill: number): number => (isDrilling ? drill : gate)
