/**
 * The secrets of setup and invitation links. A fragment is never sent to a server, and is removed from the address bar
 * immediately.
 */
const fragment = new URLSearchParams(location.hash.slice(1))

export const setupCode = fragment.get('code') ?? ''
export const inviteToken = fragment.get('token') ?? ''

if (setupCode || inviteToken) history.replaceState(null, '', location.pathname + location.search)
