import SwaggerUIBundle from 'swagger-ui-dist/swagger-ui-es-bundle.js'

type PolicyFactory = { createPolicy: (name: 'default', rules: { createHTML: (text: string) => string }) => unknown }

/**
 * SEC-65. Swagger UI renders sanitized HTML. The policy has no rule for script URLs and scripts, so those are blocked.
 */
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
  // There is a group of operations for each table, and several schemas.
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  // The row of an operation is a button, which must not contain a link. The button itself sets the URL.
  plugins: [({ React }) => ({ wrapComponents: { DeepLink: () => (props) => React.createElement('span', null, props.text) } })],
  // The default sends the description's URL to a server of Swagger UI's authors.
  validatorUrl: null,
  requestInterceptor: (request) => {
    if (token && request.loadSpec) request.headers.Authorization = `Bearer ${token}`
    return request
  },
  onComplete: () => {
    document.querySelector('#servers')?.setAttribute('aria-label', 'Server')
    if (token) ui.preauthorizeApiKey('bearer', token)
  },
})

/** Reads the token of a link with `?token=` and removes it from the address bar. */
function takeToken(): string | null {
  const address = new URL(location.href)
  const value = address.searchParams.get('token')
  address.searchParams.delete('token')
  if (value !== null) history.replaceState(null, '', address)
  return value
}
