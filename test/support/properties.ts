import fc from 'fast-check'

/**
 * The gate asks the same questions each time: when it turns red, the change at hand is to blame. New ones are asked by
 * `bun run fuzz`.
 */
if (!process.env.FUZZ) fc.configureGlobal({ seed: 20261121 })
