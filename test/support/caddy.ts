import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './executable'
import { freePort } from './ports'
import { proxyBlock, type ReverseProxy, startProxy, tlsFile } from './reverse-proxy'

/** The block from docs/running.md, adapted to this machine: another port, the certificate of the tests. */
function siteBlock(port: number, upstream: string): string {
  return proxyBlock('caddy')
    .replace(/^\S+ \{/, `https://localhost:${port} {\n  bind 127.0.0.1\n  tls ${tlsFile('server.pem')} ${tlsFile('server.key')}`)
    .replace('127.0.0.1:8090', upstream.replace('http://', ''))
}

/**
 * A real Caddy with TLS and HTTP/2 in front of `upstream`, set up as documented.
 * @param change modifies the configuration
 */
export function startCaddy(upstream: string, change: (block: string) => string = (block) => block): Promise<ReverseProxy> {
  const [folder, port] = [newFolder(), freePort()]
  const config = join(folder, 'Caddyfile')
  writeFileSync(config, `{\n  admin off\n  auto_https disable_redirects\n}\n${change(siteBlock(port, upstream))}`)
  const environment = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  return startProxy('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], { port, folder, environment })
}
