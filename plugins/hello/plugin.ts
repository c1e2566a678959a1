import { endpoint, t } from 'rowhouse/plugin'

/** Open to everybody: nothing asks who is calling. */
const greeting = endpoint({
  method: 'GET',
  path: '/greeting',
  public: true,
  title: 'Says hello',
  // Pages of this site may call it from a browser, and nobody may call it more often.
  cors: ['https://www.example.org'],
  limit: { perIp: '600/m' },
  query: t.Object({ name: t.Optional(t.String({ maxLength: 100 })) }),
  response: t.Object({ greeting: t.String() }),
  allow: () => true,
  handle: ({ query }) => ({ greeting: `Hello, ${query.name ?? 'world'}!` }),
})

/** Needs a login: nobody gets as far as `allow` without one. */
const me = endpoint({
  method: 'GET',
  path: '/me',
  public: false,
  title: 'Says who is calling',
  response: t.Object({ email: t.String(), role: t.String(), via: t.String() }),
  allow: () => true,
  handle: ({ actor }) => ({ email: actor.user.email, role: actor.user.role, via: actor.via }),
})

/**
 * Decides by itself: a screen without a login sends the shared key (`key` in settings.toml, or ROWHOUSE_PLUGIN_HELLO__KEY), everybody else has to be
 * an editor. Without a key in the settings, none opens it.
 */
const staff = endpoint({
  method: 'GET',
  path: '/staff',
  public: true,
  title: 'For editors, and for whoever has the key',
  response: t.Object({ by: t.String() }),
  allow: async ({ auth, headers, settings }) => {
    if (settings.key && headers.get('x-key') === settings.key) return true
    const { user } = await auth.require()
    return user.role !== 'viewer' || 'This is for editors.'
  },
  handle: ({ actor }) => ({ by: actor ? actor.user.role : 'key' }),
})

export default [greeting, me, staff]
