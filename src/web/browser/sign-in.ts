import { call, Refused } from './api'
import { el, field, form } from './dom'

const email = () => el('input', { name: 'email', type: 'email', required: true, autocomplete: 'username', maxLength: 254 })
const password = (autocomplete: AutoFill) =>
  el('input', { name: 'password', type: 'password', required: true, autocomplete, maxLength: 256 })

const newPassword = () => {
  const secret = password('new-password')
  secret.minLength = 8
  return field('Password', secret, 'At least 8 characters. A few unrelated words are best.')
}

const card = (title: string, introduction: string, ...children: Node[]) => {
  document.title = `${title} · Rowhouse`
  return el(
    'main',
    { className: 'card' },
    el('p', { className: 'brand', textContent: 'Rowhouse' }),
    el('h1', { textContent: title }),
    el('p', { className: 'help', textContent: introduction }),
    ...children,
  )
}

export function signInScreen(done: () => Promise<void>): Node {
  const fields = [field('E-mail', email()), field('Password', password('current-password'))]
  const submit = async (values: Record<string, string>) => {
    await call('POST', '/auth/login', values)
    await done()
  }
  return card('Sign in', 'For the tables and the API tokens of this service.', form(fields, 'Sign in', submit))
}

/** @param code from the link in the log; without it, it has to be typed */
export function setupScreen(code: string, done: () => Promise<void>): Node {
  const codeHelp = code
    ? 'Filled in from the link.'
    : 'In the link that the start prints, in the file setup-code of the data directory, or in SETUP_CODE.'
  const fields = [
    field('E-mail', email()),
    field('Name (optional)', el('input', { name: 'name', autocomplete: 'name', maxLength: 100 })),
    newPassword(),
    field('One-time code', el('input', { name: 'code', value: code, required: true, autocomplete: 'off', spellcheck: false }), codeHelp),
  ]
  const submit = async ({ name, ...values }: Record<string, string>) => {
    await call('POST', '/auth/setup', name ? { ...values, name } : values)
    await done()
  }
  return card('Set up Rowhouse', 'This makes the first administrator. It can be done once.', form(fields, 'Set up', submit))
}

/** @param inviteToken from the link; `done` when the user is signed in, or wants to sign in after all */
export async function inviteScreen(inviteToken: string, done: () => Promise<void>): Promise<Node> {
  const invited = await holderOf(inviteToken)
  if (!invited) {
    const onward = el('button', { type: 'button', className: 'primary', textContent: 'Sign in', onclick: done })
    return card('Invitation', 'This link was used already, or is older than 72 hours. Ask an administrator for a new one.', onward)
  }
  const fields = [field('Name', el('input', { name: 'name', value: invited.name, autocomplete: 'name', maxLength: 100 })), newPassword()]
  const submit = async (values: Record<string, string>) => {
    await call('POST', '/auth/invite', { ...values, inviteToken })
    await done()
  }
  return card('Choose a password', `For ${invited.email}.`, form(fields, 'Sign in', submit))
}

async function holderOf(inviteToken: string): Promise<{ email: string; name: string } | null> {
  try {
    return await call('POST', '/auth/invite/check', { inviteToken })
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null
    throw error
  }
}
