import type { User } from '../../auth/model'
import { call, Refused, wordsFor } from './api'
import { el } from './dom'
import { homeScreen } from './home'
import { inviteScreen, setupScreen, signInScreen } from './sign-in'

const { code: setupCode, token: inviteToken } = takeSecrets()
const root = document.querySelector<HTMLElement>('#app')!

/** What the visitor can do now decides the screen: set the service up, sign in, or work. */
async function show() {
  try {
    root.replaceChildren(await screen())
  } catch (error) {
    const retry = el('button', { type: 'button', className: 'primary', textContent: 'Try again', onclick: show })
    root.replaceChildren(el('main', { className: 'card' }, el('h1', { textContent: 'Rowhouse' }), el('p', {}, wordsFor(error)), retry))
  }
  root.querySelector<HTMLElement>('.card input')?.focus()
}

async function screen(): Promise<Node> {
  const { setupRequired } = await call<{ setupRequired: boolean }>('GET', '/auth/setup-status')
  if (setupRequired) return setupScreen(setupCode, proceed)
  if (isInvited()) return inviteScreen(inviteToken, leaveInvitation)
  const user = await whoAmI()
  if (!user) return signInScreen(proceed)
  if (wanted()) return proceed().then(() => el('main', {}))
  history.replaceState(null, '', '/')
  return homeScreen(user, show)
}

async function whoAmI(): Promise<User | null> {
  try {
    return (await call<{ user: User }>('GET', '/auth/me')).user
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return null
    throw error
  }
}

/** On to the page that was asked for, else home. */
async function proceed() {
  const path = wanted()
  if (path) location.replace(path)
  else await show()
}

/** `?next=` when it is a page of this service; its query is dropped, and another site's address counts for nothing. */
function wanted(): string | null {
  const next = new URLSearchParams(location.search).get('next') ?? '/'
  const target = URL.canParse(next, location.origin) ? new URL(next, location.origin) : null
  return target?.origin === location.origin && target.pathname !== '/' ? target.pathname : null
}

const isInvited = () => location.pathname === '/invite' && inviteToken !== ''

async function leaveInvitation() {
  history.replaceState(null, '', '/')
  await show()
}

/** From the link in the log, or from an invitation. A fragment is not sent to any server, and it leaves the address bar at once. */
function takeSecrets(): { code: string; token: string } {
  const fragment = new URLSearchParams(location.hash.slice(1))
  if (location.hash) history.replaceState(null, '', location.pathname + location.search)
  return { code: fragment.get('code') ?? '', token: fragment.get('token') ?? '' }
}

// Last: what stands above has to be there before it runs.
await show()
