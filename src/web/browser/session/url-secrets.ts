/** From the link in the log, or from an invitation. A fragment is not sent to any server, and it leaves the address bar at once. */
const fragment = new URLSearchParams(location.hash.slice(1))

export const setupCode = fragment.get('code') ?? ''
export const inviteToken = fragment.get('token') ?? ''

if (setupCode || inviteToken) history.replaceState(null, '', location.pathname + location.search)
