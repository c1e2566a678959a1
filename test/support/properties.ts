import fc from 'fast-check'

/**
 * The gate uses the same inputs each time, so a failure is caused by the current change. `bun run fuzz` uses new ones.
 */
if (!process.env.FUZZ) fc.configureGlobal({ seed: 20261121 })
