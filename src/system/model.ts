import { t } from 'elysia'

const Bytes = (description: string) => t.Nullable(t.Integer({ description }))

/** The environment that the service runs in, for its operator. */
export const SystemView = t.Object({
  database: t.Object({
    kind: t.Union([t.Literal('inside'), t.Literal('own')], { description: 'inside: the embedded database. own: DATABASE_URL.' }),
    version: t.String({ description: 'The version of PostgreSQL.' }),
    sizeBytes: Bytes('The size of the database; null if the role may not read it.'),
  }),
  storage: t.Object({
    place: t.String({ description: 'The folder, or the bucket.' }),
    files: t.Integer(),
    sizeBytes: t.Integer({ description: 'The size of the attachments, without thumbnails.' }),
    freeBytes: Bytes('How much more fits; null where nobody knows.'),
  }),
})
export type SystemView = typeof SystemView.static
