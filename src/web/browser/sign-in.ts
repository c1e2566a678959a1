import { call } from './api'
import { el, field, form } from './dom'

const email = () => el('input', { name: 'email', type: 'email', required: true, autocomplete: 'username', maxLength: 254 })
const password = (autocomplete: AutoFill) =>
  el('input', { name: 'password', type: 'password', required: true, autocomplete, maxLength: 256 })

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
  const secret = password('new-password')
  secret.minLength = 8
  const codeHelp = code
    ? 'Filled in from the link.'
    : 'In the link that the start prints, in the file setup-code of the data directory, or in SETUP_CODE.'
  const fields = [
    field('E-mail', email()),
    field('Name (optional)', el('input', { name: 'name', autocomplete: 'name', maxLength: 100 })),
    field('Password', secret, 'At least 8 characters. A few unrelated words are best.'),
    field('One-time code', el('input', { name: 'code', value: code, required: true, autocomplete: 'off', spellcheck: false }), codeHelp),
  ]
  const submit = async ({ name, ...values }: Record<string, string>) => {
    await call('POST', '/auth/setup', name ? { ...values, name } : values)
    await done()
  }
  return card('Set up Rowhouse', 'This makes the first administrator. It can be done once.', form(fields, 'Set up', submit))
}
