/** Code for scripts. It reads the token from the environment and never contains it. */
const header = 'Authorization: Bearer'

/** The URL with a readable query: characters that need no escaping stay as they are. */
export const withQuery = (base: string, view: URLSearchParams): string =>
  view.size ? `${base}?${view.toString().replace(/%(?:28|29|2C|3A|2A)/g, decodeURIComponent)}` : base

/** Quotes a URL for a shell. Keys may contain any text; brackets and braces are special characters of curl. */
export const quotedUrl = (address: string): string =>
  `'${address.replace(/[\u0000-\u0020\u007f'{}[\]]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`)}'`

export const curlCommand = (address: string): string => `curl -H "${header} $ROWHOUSE_TOKEN" \\\n  ${quotedUrl(address)}`

export const javascriptCode = (address: string): string =>
  `import { env } from 'node:process'

const response = await fetch(${JSON.stringify(address)}, {
  headers: { authorization: \`Bearer \${env.ROWHOUSE_TOKEN}\` },
})
const { records } = await response.json()`

export const pythonCode = (address: string): string =>
  `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(address)},
    headers={"Authorization": "Bearer " + os.environ["ROWHOUSE_TOKEN"]},
)
records = json.load(urllib.request.urlopen(request))["records"]`
