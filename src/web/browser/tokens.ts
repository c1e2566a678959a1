import type { Token } from '../../auth/model'
import { call } from './api'
import { alertLine, button, el, field, form, select } from './dom'

const scopes: [Token['scope'], string][] = [
  ['read', 'Read records'],
  ['write', 'Read and write records'],
  ['full', 'Everything I may do'],
]
const lifetimes: [days: string, text: string][] = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['', 'No expiry'],
]

/** My API tokens: make one, see them, revoke them. @param exampleUrl what the curl line reads */
export async function tokenSection(exampleUrl: () => string): Promise<HTMLElement> {
  const list = el('div', {})
  const news = el('div', { ariaLive: 'polite' })
  const refresh = async () => list.replaceChildren(tokenList((await call<{ tokens: Token[] }>('GET', '/auth/tokens')).tokens, refresh))
  const fields = el(
    'div',
    { className: 'columns' },
    field('Name', el('input', { name: 'name', required: true, maxLength: 100, autocomplete: 'off', placeholder: 'Nightly import' })),
    field('May do', select('scope', scopes, 'write')),
    field('Valid for', select('days', lifetimes, '90')),
  )
  const maker: HTMLFormElement = form([fields], 'Create token', async ({ days, ...values }) => {
    const expiresAt = days ? new Date(Date.now() + Number(days) * 86_400_000).toISOString() : undefined
    const made = await call<Token & { token: string }>('POST', '/auth/tokens', { ...values, expiresAt })
    news.replaceChildren(newToken(made, exampleUrl()))
    maker.reset()
    await refresh()
  })
  await refresh()
  const purpose = 'A token lets a script work in your name. Its value is shown once, when it is made.'
  return el('section', {}, el('h2', { textContent: 'API tokens' }), el('p', { className: 'help', textContent: purpose }), maker, news, list)
}

function newToken({ name, token }: { name: string; token: string }, url: string): HTMLElement {
  return el(
    'div',
    { className: 'news' },
    el('p', {}, el('strong', { textContent: `“${name}” is made.` }), ' Copy it now: it is not shown again.'),
    copyable('Token', 'new-token', token),
    copyable('Try it', 'new-token-curl', `curl -H 'Authorization: Bearer ${token}' '${url}'`),
  )
}

function copyable(label: string, name: string, value: string): HTMLElement {
  const input = el('input', { name, value, readOnly: true, spellcheck: false, className: 'code', onfocus: () => input.select() })
  const notice = alertLine()
  const work = async () => {
    copy.textContent = await copyFrom(input)
    copy.ariaLabel = null
  }
  const copy = button('Copy', 'quiet', work, notice)
  copy.ariaLabel = `Copy: ${label}`
  return el('div', { className: 'copyable' }, field(label, input), copy, notice)
}

/** @returns what to say of it */
async function copyFrom(input: HTMLInputElement): Promise<string> {
  input.select()
  // Browsers offer the clipboard only over https and on this machine, and may still refuse; the old way works elsewhere too.
  const isCopied = await navigator.clipboard?.writeText(input.value).then(
    () => true,
    () => false,
  )
  return isCopied || document.execCommand('copy') ? 'Copied' : 'Copy by hand'
}

const date = (time: string | null, none: string) => (time ? new Date(time).toLocaleDateString(undefined, { dateStyle: 'medium' }) : none)

function tokenList(tokens: Token[], refresh: () => Promise<void>): HTMLElement {
  if (tokens.length === 0) return el('p', { className: 'help', textContent: 'You have no tokens.' })
  return el('ul', { className: 'rows' }, ...tokens.map((token) => tokenRow(token, refresh)))
}

function tokenRow(token: Token, refresh: () => Promise<void>): HTMLElement {
  const { id, name, scope, createdAt, lastUsedAt, lastUsedInUrlAt, expiresAt } = token
  const facts = [
    scopes.find(([value]) => value === scope)?.[1] ?? scope,
    `made ${date(createdAt, '')}`,
    lastUsedAt ? `last used ${date(lastUsedAt, '')}` : 'never used',
    lastUsedInUrlAt ? `last used in an address ${date(lastUsedInUrlAt, '')}` : '',
    expiresAt ? `until ${date(expiresAt, '')}` : 'no expiry',
  ]
  const notice = alertLine()
  const revoke = async () => {
    await call('DELETE', `/auth/tokens/${id}`)
    await refresh()
  }
  return el(
    'li',
    {},
    el('div', {}, el('h3', { textContent: name }), el('p', { className: 'help', textContent: facts.filter(Boolean).join(' · ') }), notice),
    askingFirst('Revoke', name, revoke, notice),
  )
}

/** The first press asks, the second does it; going elsewhere takes the question back. */
function askingFirst(text: string, name: string, work: () => Promise<void>, notice: HTMLElement): HTMLButtonElement {
  let isAsked = false
  const ask = (asked: boolean) => {
    isAsked = asked
    element.textContent = asked ? `${text} for good?` : text
    element.ariaLabel = asked ? `Press again to ${text.toLowerCase()} ${name} for good` : `${text} ${name}`
    element.classList.toggle('danger', asked)
  }
  const element = button(text, 'quiet', async () => (isAsked ? work() : ask(true)), notice)
  element.onblur = () => ask(false)
  ask(false)
  return element
}
