/** Lines for scripts. The token is never in them: they read it from the environment. */
const header = 'Authorization: Bearer'

/** As an address reads best: what needs no escape in a query stays as it is. */
export const addressOf = (base: string, view: URLSearchParams): string =>
  view.size ? `${base}?${view.toString().replace(/%(?:28|29|2C|3A|2A)/g, decodeURIComponent)}` : base

/** In quotes that nothing in it leaves: a key holds what others have written. Brackets and braces are signs of curl's. */
export const quotedAddress = (address: string): string =>
  `'${address.replace(/[\u0000-\u0020\u007f'{}[\]]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`)}'`

export const curlLine = (address: string): string => `curl -H "${header} $ROWHOUSE_TOKEN" \\\n  ${quotedAddress(address)}`

export const javascriptLines = (address: string): string =>
  `import { env } from 'node:process'

const response = await fetch(${JSON.stringify(address)}, {
  headers: { authorization: \`Bearer \${env.ROWHOUSE_TOKEN}\` },
})
const { records } = await response.json()`

export const pythonLines = (address: string): string =>
  `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(address)},
    headers={"Authorization": "Bearer " + os.environ["ROWHOUSE_TOKEN"]},
)
records = json.load(urllib.request.urlopen(request))["records"]`
