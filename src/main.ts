import { become, becomeCommand } from './db/embedded/become'

if (process.argv[2] === becomeCommand) become(process.argv.slice(3))

// The driver reads PGHOST, PGTARGETSESSIONATTRS and others behind our back; what counts is in our settings.
for (const name of Object.keys(process.env)) if (name.startsWith('PG')) delete process.env[name]

// Behind the line above: a process that becomes PostgreSQL needs none of it.
const { runCommand } = await import('./commands')
process.exit(await runCommand(process.argv.slice(2), process.env))
