/**
 * The keys of Rowhouse's advisory locks, in one list so that no two locks share a key. A key is a number that no other
 * program is likely to use. It stays the same in every version, because two versions may run on one database.
 */
export const lockKeys = {
  migration: 7_208_412_055,
  /**
   * Held by a change of users, so that two changes at once cannot remove the last administrator, and by a change of
   * groups.
   */
  usersAndGroups: 7_208_412_056,
  storageIdentity: 7_208_412_057,
  fileSweep: 7_208_412_058,
  changeTrigger: 7_208_412_059,
  restoreTable: 7_208_412_060,
  fileMove: 7_208_412_061,
  /** Held by a backup of a team's database, which several instances may be set to make. */
  backup: 7_208_412_062,
  /** Held by a command that moves the database, in the old one. */
  databaseMove: 7_208_412_063,
  /** Held while a partition of the log of changes is made or dropped. */
  logPartitions: 7_208_412_064,
} as const
