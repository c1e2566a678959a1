import { randomBytes } from 'node:crypto'
import { closeSetup } from '../auth/accounts/setup'
import { commandSource } from '../auth/audit/audit-log'
import type { Role } from '../auth/model'
import { firstLineOf } from '../ops/first-line'
import type { SettingKey } from '../ops/settings/settings'
import { createUser, listUsers, resetPassword } from '../users/service'
import { UsageError } from './arguments'
import { type Command, CommandError, databaseSettings } from './command'
import { withDeps } from './with-deps'

const passwordHelp = 'The password is read from standard input (its first line); at a terminal one is made and shown.'

const querySettings: SettingKey[] = [...databaseSettings, 'databasePoolSize', 'queryTimeoutMs']

export const usersAdd: Command = {
  name: 'users add',
  arguments: 'EMAIL ROLE',
  summary: 'Add a user; ROLE is admin, editor or viewer.',
  description: `Adds a user who can sign in at once. ${passwordHelp}`,
  switches: {
    service: 'Add a service user, with NAME in place of EMAIL: it has no password, and an administrator makes its API tokens.',
  },
  settings: [...querySettings, 'argon2MemoryKib', 'argon2Passes'],
  run: (context) => {
    const [email, role] = context.positionals
    const isService = context.switches.has('service')
    if (!email || !isRole(role))
      throw new UsageError(`Usage: rowhouse users add ${isService ? '--service NAME' : 'EMAIL'} admin|editor|viewer`)
    return withDeps(context, async ({ db, passwords }) => {
      if (isService) {
        const { user } = await createUser(db, passwords, { kind: 'service', name: email, role }, commandSource)
        console.log(`Added ${oneLine(user.name)} (${user.role}), a service user. An administrator makes its API tokens.`)
        return
      }
      const { password, isNew } = await readPassword()
      const { user } = await createUser(db, passwords, { email, role, password }, commandSource)
      if (role === 'admin') await closeSetup(db)
      console.log(`Added ${user.email} (${user.role}).${isNew ? ` Password: ${password}` : ''}`)
    })
  },
}

export const usersResetPassword: Command = {
  name: 'users reset-password',
  arguments: 'EMAIL',
  summary: 'Give a user a new password; ends their sessions and tokens.',
  description: `Sets a new password, and ends all sessions, API tokens and invitation links of the user. ${passwordHelp}`,
  settings: [...querySettings, 'argon2MemoryKib', 'argon2Passes'],
  run: (context) => {
    const [email] = context.positionals
    if (!email) throw new UsageError('Usage: rowhouse users reset-password EMAIL')
    return withDeps(context, async ({ db, passwords }) => {
      const { password, isNew } = await readPassword()
      const user = await resetPassword(db, passwords, email, password, commandSource)
      const state = user.disabled ? ' The user is disabled and cannot sign in until an administrator changes that.' : ''
      console.log(`${user.email} has a new password; sessions and tokens have ended.${state}${isNew ? ` Password: ${password}` : ''}`)
    })
  },
}

export const usersList: Command = {
  name: 'users list',
  summary: 'List the users.',
  description: 'Prints one line for each user: e-mail, role, state, last sign-in, kind (person or service), name.',
  settings: querySettings,
  run: (context) =>
    withDeps(context, async ({ db }) => {
      for (const user of await listUsers(db)) {
        const state = user.disabled ? 'disabled' : 'active'
        console.log([user.email, user.role, state, user.lastLoginAt ?? 'never', user.kind, oneLine(user.name)].join('\t'))
      }
    }),
}

/** A name may hold tabs, line breaks and terminal control sequences. */
const oneLine = (text: string) => text.replace(/\p{Cc}+/gu, ' ')

const isRole = (text: string | undefined): text is Role => ['admin', 'editor', 'viewer'].includes(text ?? '')

async function readPassword(): Promise<{ password: string; isNew: boolean }> {
  if (process.stdin.isTTY) return { password: randomBytes(12).toString('base64url'), isNew: true }
  const password = firstLineOf(new Uint8Array(await Bun.stdin.arrayBuffer()))
  if (password === null) throw new CommandError('The password is not UTF-8 text; the terminal may be set to another encoding.')
  return { password, isNew: false }
}
