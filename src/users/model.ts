import { t } from 'elysia'
import { Email, NewPassword, Role, UserKind, UserWithGroups } from '../auth/model'

const strict = { additionalProperties: false }
const Name = t.String({ maxLength: 100 })

export const NewUser = t.Object(
  {
    kind: t.Optional(UserKind),
    email: t.Optional(Email),
    name: t.Optional(Name),
    role: Role,
    password: t.Optional(t.String({ minLength: 8, maxLength: 256, description: 'Without one the user is invited by a link.' })),
  },
  { ...strict, description: 'A person has an `email`. A service user has a `name`, and neither `email` nor `password`.' },
)
export type NewUser = typeof NewUser.static

export const UserPatch = t.Object(
  { name: t.Optional(Name), role: t.Optional(Role), disabled: t.Optional(t.Boolean()) },
  { ...strict, minProperties: 1 },
)
export type UserPatch = typeof UserPatch.static

/** A user as colleagues see them: the name that belongs to an id in records, and nothing else. */
export const UserName = t.Object({ id: t.String({ format: 'uuid' }), name: t.String(), kind: UserKind, disabled: t.Boolean() })
export type UserName = typeof UserName.static

const InviteFields = { inviteToken: t.String(), inviteUrl: t.String(), expiresAt: t.String({ format: 'date-time' }) }

/**
 * The link of an invitation; its token is in the fragment, which browsers send to no server and which appears in no
 * log.
 */
export const InviteLink = t.Object(InviteFields)

export const CreatedUser = t.Composite([t.Object({ user: UserWithGroups }), t.Partial(InviteLink)])

export const InviteToken = t.Object({ inviteToken: t.String({ maxLength: 100 }) }, strict)
export const InviteHolder = t.Object({ email: t.String(), name: t.String(), expiresAt: t.String({ format: 'date-time' }) })
export const InviteAnswer = t.Object({ inviteToken: t.String({ maxLength: 100 }), password: NewPassword, name: t.Optional(Name) }, strict)
export type InviteAnswer = typeof InviteAnswer.static
