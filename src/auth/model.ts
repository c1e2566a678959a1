import { t } from 'elysia'

export const Role = t.Union([t.Literal('admin'), t.Literal('editor'), t.Literal('viewer')])
export type Role = typeof Role.static

export const Scope = t.Union([t.Literal('read'), t.Literal('write'), t.Literal('full')])
export type Scope = typeof Scope.static

/** A service user is the owner of an automation's tokens: it has no password and cannot sign in. */
export const UserKind = t.Union([t.Literal('person'), t.Literal('service')])

const Time = t.String({ format: 'date-time' })
const strict = { additionalProperties: false }

/** The length is in UTF-16 code units, as in JSON Schema; `normalizeEmail` checks the form of the e-mail address. */
export const Email = t.String({ minLength: 3, maxLength: 254, description: 'E-mail address; case and surrounding spaces do not matter.' })
export const NewPassword = t.String({ minLength: 8, maxLength: 256, description: 'Any characters, which are not trimmed.' })

export const User = t.Object({
  id: t.String({ format: 'uuid' }),
  email: t.String(),
  name: t.String(),
  role: Role,
  kind: UserKind,
  disabled: t.Boolean(),
  createdAt: Time,
  lastLoginAt: t.Nullable(Time),
})
export type User = typeof User.static

/** `groups` are the names of the user's groups, sorted. */
export const UserWithGroups = t.Composite([User, t.Object({ groups: t.Array(t.String()) })])
export type UserWithGroups = typeof UserWithGroups.static

export const UserAnswer = t.Object({ user: User })

export const Credentials = t.Object({ email: t.String({ maxLength: 254 }), password: t.String({ minLength: 1, maxLength: 256 }) }, strict)
export type Credentials = typeof Credentials.static

export const SetupRequest = t.Object(
  { email: Email, password: NewPassword, name: t.Optional(t.String({ maxLength: 100 })), code: t.Optional(t.String({ maxLength: 200 })) },
  strict,
)
export type SetupRequest = typeof SetupRequest.static

/** What users may change about themselves; only administrators change roles. */
export const ProfilePatch = t.Object({ name: t.String({ minLength: 1, maxLength: 100 }) }, strict)
export type ProfilePatch = typeof ProfilePatch.static

export const PasswordChange = t.Object(
  {
    currentPassword: t.String({ minLength: 1, maxLength: 256 }),
    newPassword: NewPassword,
    revokeTokens: t.Optional(t.Boolean({ description: 'Also revoke all API tokens.' })),
  },
  strict,
)
export type PasswordChange = typeof PasswordChange.static

/** `id` is not the secret; `current` marks the session of the request. */
export const Session = t.Object({
  id: t.String({ format: 'uuid' }),
  createdAt: Time,
  lastSeenAt: Time,
  expiresAt: Time,
  address: t.String(),
  agent: t.String(),
  current: t.Boolean(),
})
export type Session = typeof Session.static

export const SetupStatus = t.Object({ setupRequired: t.Boolean() })

export const Token = t.Object({
  id: t.String({ format: 'uuid' }),
  name: t.String(),
  scope: Scope,
  tables: t.Nullable(t.Array(t.String({ format: 'uuid' }))),
  expiresAt: t.Nullable(Time),
  createdAt: Time,
  lastUsedAt: t.Nullable(Time),
  lastUsedInUrlAt: t.Nullable(Time),
})
export type Token = typeof Token.static

export const NewToken = t.Object(
  {
    name: t.String({ minLength: 1, maxLength: 100, description: 'A label that tells which token to revoke.' }),
    scope: t.Optional(Scope),
    tables: t.Optional(
      t.Array(t.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: 100,
        description: 'The only tables that the token may use, by id or name. A name means the table that has it now.',
      }),
    ),
    expiresAt: t.Optional(
      t.Nullable(t.String({ description: 'RFC 3339, with the offset from UTC. Without it, or with null, the token does not expire.' })),
    ),
  },
  strict,
)
export type NewToken = typeof NewToken.static

export const CreatedToken = t.Composite([Token, t.Object({ token: t.String({ description: 'The token itself. It is shown only once.' }) })])

/** The caller and their credential. `token` is present unless they sent a cookie. */
export const Me = t.Object({
  user: UserWithGroups,
  via: t.Union([t.Literal('cookie'), t.Literal('bearer'), t.Literal('query')]),
  token: t.Optional(t.Pick(Token, ['id', 'name', 'scope', 'tables', 'expiresAt'])),
  viewedBy: t.Optional(
    t.Object({ id: t.String({ format: 'uuid' }), name: t.String() }, { description: 'The administrator who views the service as `user`.' }),
  ),
})
