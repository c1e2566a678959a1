import { become, becomeCommand } from './db/embedded/become'
import { settings } from './ops/settings/settings'

if (process.argv[2] === becomeCommand) become(process.argv.slice(3))

// The driver would read PGHOST, PGTARGETSESSIONATTRS and others on its own; only our settings count. Plugins do not
// get them either.
const environment = { ...process.env }
const ours = new Set<string>(Object.values(settings).map(({ env }) => env))
const isOurs = (name: string) => /^PG|^ROWHOUSE_(PLUGIN_|MOVE_TO$)/.test(name) || ours.has(name)
for (const name of Object.keys(process.env)) if (isOurs(name)) delete process.env[name]

// Read by Elysia when it is loaded. Otherwise its own answer to a refused body contains the whole body.
Bun.env.NODE_ENV ??= 'production'

// Imported after the lines above: a process that becomes PostgreSQL does not need the rest.
const [first, ...rest] = process.argv.slice(2)
const { renderCommand, runRenderer } = await import('./documents/render/child')
if (first === renderCommand) process.exit(await runRenderer())

// A process that makes documents does not need the plugins.
const { isolatedLoadCommand: probeCommand, runIsolatedLoad: runProbe } = await import('./plugins/load/isolated-load')
if (first === probeCommand) process.exit(await runProbe(rest, environment))

const { backupProcess } = await import('./backup/schedule/process')
if (first === backupProcess) process.exit(await (await import('./commands/backup/process')).runBackupProcess())

const { archiverProcess } = await import('./backup/wal/process')
if (first === archiverProcess) process.exit(await (await import('./commands/backup/wal-process')).runArchiverProcess())

const { pgDumpCommand } = await import('./backup/database-copy/pg-dump')
if (first === pgDumpCommand) process.exit(await (await import('./backup/database-copy/pg-dump-process')).runPgDump(rest))

const { runCommand } = await import('./commands')
process.exit(await runCommand(process.argv.slice(2), environment))
