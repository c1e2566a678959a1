/**
 * The secrets of setup and invitation links. A fragment is never sent to a server, and is removed from the address bar
 * immediately.
 */
const fragment = new URLSearchParams(location.hash.slice(1))

export const setupCode = fragment.get('code') ?? ''
export const inviteToken = fragment.get('token') ?? ''

// Pasting such a link into a tab of the service changes only the fragment, which does not reload the page.
addEventListener('hashchange', () => {
  const pasted = new URLSearchParams(location.hash.slice(1))
  if (pasted.has('code') || pasted.has('token')) location.reload()
})

if (setupCode || inviteToken) history.replaceState(null, '', location.pathname + location.search)
