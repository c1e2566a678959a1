import SwaggerUIBundle from 'swagger-ui-dist/swagger-ui-es-bundle.js'

type PolicyFactory = { createPolicy: (name: 'default', rules: { createHTML: (text: string) => string }) => unknown }

/** SEC-65. Swagger UI draws texts as markup and has made them clean before. Addresses and texts of scripts have no rule here, so each is refused. */
const factory = (window as { trustedTypes?: PolicyFactory }).trustedTypes
factory?.createPolicy('default', { createHTML: (text) => text })

const token = takeToken()
const dark = matchMedia('(prefers-color-scheme: dark)')
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followSystem)
followSystem()

const ui = SwaggerUIBundle({
  url: '/swagger/json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  // The default sends the description's address to a server of the makers of Swagger UI.
  validatorUrl: null,
  requestInterceptor: (request) => {
    if (token && request.loadSpec) request.headers.Authorization = `Bearer ${token}`
    return request
  },
  onComplete: () => {
    if (token) ui.preauthorizeApiKey('bearer', token)
  },
})

/** Opened by a link with `?token=`: it serves this visit, and leaves the address bar at once. */
function takeToken(): string | null {
  const address = new URL(location.href)
  const value = address.searchParams.get('token')
  address.searchParams.delete('token')
  if (value !== null) history.replaceState(null, '', address)
  return value
}
