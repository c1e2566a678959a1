import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: [
    './src/db/schema/tables.ts',
    './src/db/schema/tasks.ts',
    './src/db/schema/refusals.ts',
    './src/db/schema/access.ts',
    './src/db/schema/links.ts',
    './src/db/schema/forms.ts',
    './src/db/schema/changes.ts',
  ],
  out: './migrations',
  schemaFilter: ['rowhouse'],
})
