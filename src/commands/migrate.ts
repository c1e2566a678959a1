import { backUpBeforeUpgrade } from '../backup/upgrade/backup-first'
import { createEvents } from '../ops/log/events'
import { readPassphrase } from './backup/backup'
import { withInterruption } from './backup/interruption'
import { applyMigrations, openDatabase } from './bootstrap'
import { type Command, databaseSettings, s3Settings } from './command'
import { runAsServiceUser } from './service-user'

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Migrate the database to this version and exit.',
  description:
    'Applies the migrations that the database lacks, under a lock. The service does the same at every start. Where they change what is there, a proven backup is made first (ROWHOUSE_UPGRADE_BACKUP).',
  settings: [
    ...databaseSettings,
    'schemas',
    'upgradeBackup',
    'backupTo',
    'backupKeep',
    'backupPassphraseFile',
    ...s3Settings,
    'minFreeBytes',
  ],
  run: async ({ config: given, environment }) => {
    // Only root may be able to read the file.
    const passphrase = given.backupTo === undefined ? undefined : readPassphrase(given, environment)
    const config = runAsServiceUser(given, { data: given.databaseUrl ? 'none' : 'made', environment })
    const opened = await openDatabase(config, createEvents())
    try {
      await withInterruption((signal) =>
        backUpBeforeUpgrade({ config, opened, passphrase, signal, say: (sentence) => console.log(sentence) }),
      )
      const { applied } = await applyMigrations(opened.target, config)
      console.log(applied.length ? `Applied: ${applied.join(', ')}` : 'The database is up to date.')
      return 0
    } finally {
      await opened.stop()
    }
  },
}
