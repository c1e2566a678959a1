import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: [
    './src/db/schema.ts',
    './src/db/schemas/tasks.ts',
    './src/db/schemas/refusals.ts',
    './src/db/schemas/access.ts',
    './src/db/schemas/links.ts',
    './src/db/schemas/forms.ts',
    './src/db/schemas/changes.ts',
  ],
  out: './migrations',
  schemaFilter: ['rowhouse'],
})
