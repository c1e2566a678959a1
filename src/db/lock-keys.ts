/**
 * The keys of Rowhouse's advisory locks, in one list so that no two locks share a key. A key is a number that no other
 * program is likely to use. It stays the same in every version, because two versions may run on one database.
 */
export const lockKeys = {
  migration: 7_208_412_055,
  /** Held while users or groups are changed, so that two concurrent changes cannot remove the last administrator. */
  usersAndGroups: 7_208_412_056,
  storageIdentity: 7_208_412_057,
  fileSweep: 7_208_412_058,
  changeTrigger: 7_208_412_059,
  restoreTable: 7_208_412_060,
  fileMove: 7_208_412_061,
  /** Held during a backup of an external database, which several instances may be configured to make. */
  backup: 7_208_412_062,
  /** Held in the old database by a command that moves it. */
  databaseMove: 7_208_412_063,
  /** Held while a partition of the change log is created or dropped. */
  logPartitions: 7_208_412_064,
  /** Held while a backup is removed, or marked as one to keep, so that no backup is both. */
  backupHold: 7_208_412_065,
  /** Held by the instance that builds and drops indexes for the search. */
  searchIndexes: 7_208_412_066,
  /** Held while the queries of share links are read to rename names in them; shared by the creation of a link. */
  linkQueries: 7_208_412_067,
} as const
