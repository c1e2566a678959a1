import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './executable'
import { freePort } from './ports'
import { proxyBlock, type ReverseProxy, startProxy, tlsFile } from './reverse-proxy'

/** The server block from docs/running.md, adapted to this machine: other ports, the certificate of the tests. */
const serverBlock = (port: number, upstream: string): string =>
  proxyBlock('nginx')
    .replace(/listen .*? ssl/, `listen 127.0.0.1:${port} ssl`)
    .replace(/listen \[::\].*\n/, '')
    .replace(/server_name .*;/, 'server_name localhost;')
    .replace(/ssl_certificate .*;/, `ssl_certificate ${tlsFile('server.pem')};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${tlsFile('server.key')};`)
    .replaceAll('$host', `$host:${port}`)
    .replaceAll('http://127.0.0.1:8090', upstream)

/**
 * A real nginx with TLS and HTTP/2 in front of `upstream`, set up as documented.
 * @param change modifies the configuration
 */
export function startNginx(upstream: string, change: (block: string) => string = (block) => block): Promise<ReverseProxy> {
  const [folder, port] = [newFolder(), freePort()]
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const config = join(folder, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off; ${user} worker_processes 1; pid ${folder}/nginx.pid; error_log stderr;
    events {} http { access_log off; ${temporary.join(' ')} ${change(serverBlock(port, upstream))} }`,
  )
  return startProxy('nginx', ['-p', folder, '-e', 'stderr', '-c', config], { port, folder })
}
