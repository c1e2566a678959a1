import manifest from '../../package.json' with { type: 'json' }

/** Set by the build (`--define`); absent when run from source. */
declare const ROWHOUSE_COMMIT: string | undefined

export const version = manifest.version
export const commit = typeof ROWHOUSE_COMMIT === 'undefined' ? 'unknown' : ROWHOUSE_COMMIT
export const apiVersion = 'v1' as const
