import { createEvents } from '../ops/events'
import { applyMigrations, openDatabase } from './bootstrap'
import { type Command, databaseSettings } from './command'
import { runAsServiceUser } from './service-user'

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Bring the database up to this version and exit.',
  description: 'Applies the migrations that the database lacks, under a lock. The service does the same at every start.',
  settings: databaseSettings,
  run: async ({ config: given, environment }) => {
    const config = runAsServiceUser(given, { data: given.databaseUrl ? 'none' : 'made', environment })
    const opened = await openDatabase(config, createEvents())
    try {
      const { applied } = await applyMigrations(opened.target, config)
      console.log(applied.length ? `Applied: ${applied.join(', ')}` : 'The database is up to date.')
      return 0
    } finally {
      await opened.stop()
    }
  },
}
