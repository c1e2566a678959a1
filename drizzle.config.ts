import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: ['./src/db/schema.ts', './src/db/task-schema.ts', './src/db/refusal-schema.ts'],
  out: './migrations',
  schemaFilter: ['rowhouse'],
})
