import { t } from 'elysia'

const Id = t.String({ format: 'uuid' })

export const maxGroups = 1000
export const maxMembers = 10_000

const GroupName = t.String({
  minLength: 1,
  maxLength: 100,
  description: 'Unique. It cannot be "everyone" or begin with "role:" or "@".',
})
const Members = t.Array(Id, { maxItems: maxMembers, description: 'Ids of users.' })

export const Group = t.Object({ id: Id, name: t.String(), members: t.Array(Id), createdAt: t.String({ format: 'date-time' }) })
export type Group = typeof Group.static

export const GroupFilter = t.Object(
  {
    limit: t.Optional(t.Integer({ minimum: 1, maximum: 1000, description: 'Groups in the answer (default 100).' })),
    cursor: t.Optional(t.String({ minLength: 1, maxLength: 1000, description: 'The nextCursor of the previous page.' })),
  },
  { additionalProperties: false },
)
export type GroupFilter = typeof GroupFilter.static

export const NewGroup = t.Object({ name: GroupName, members: t.Optional(Members) }, { additionalProperties: false })
export type NewGroup = typeof NewGroup.static

/** `members` replaces the whole list. */
export const GroupPatch = t.Object(
  { name: t.Optional(GroupName), members: t.Optional(Members) },
  { additionalProperties: false, minProperties: 1 },
)
export type GroupPatch = typeof GroupPatch.static
