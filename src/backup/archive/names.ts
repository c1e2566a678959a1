/** What the archive calls itself and its parts. The folders have the names that they have in a data directory. */
export const manifestName = 'rowhouse-backup.json'
export const contentsName = 'rowhouse-backup.contents.json'
/** Followed by a number: one for every so many files, and one at the end. */
export const hashesName = 'rowhouse-backup.hashes.'
export const clusterFolder = 'postgres'
export const filesFolder = 'files'
/** Entries of a logical copy. */
export const databaseFolder = 'database'
export const customConf = 'conf/custom.conf'

/** `sha256` is in hexadecimal. */
export type HashedEntry = { name: string; size: number; sha256: string }

/** So many lines of hashes are in memory at a time, whatever the size of the backup. */
export const maxHashLines = 1000

/**
 * Longest of the texts in it: the lines of hashes have short names, and the manifest and the contents are shorter yet.
 */
export const maxTextBytes = 2 ** 20
