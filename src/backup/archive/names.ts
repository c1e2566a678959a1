/** The names of the archive's parts. The folders have the same names as in a data directory. */
export const manifestName = 'rowhouse-backup.json'
export const contentsName = 'rowhouse-backup.contents.json'
/** Followed by a number: there is an entry for every `maxHashLines` files, and one at the end. */
export const hashesName = 'rowhouse-backup.hashes.'
export const clusterFolder = 'postgres'
export const filesFolder = 'files'
/** Entries of a logical copy. */
export const databaseFolder = 'database'
export const customConf = 'conf/custom.conf'

/** `sha256` is in hexadecimal. */
export type HashedEntry = { name: string; size: number; sha256: string }

/** The maximum number of hashes in memory, whatever the size of the backup. */
export const maxHashLines = 1000

/**
 * The maximum length of a text in the archive: names in the hashes are short, and the manifest and the contents are
 * even shorter.
 */
export const maxTextBytes = 2 ** 20
