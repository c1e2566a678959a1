import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { newFolder } from './executable'
import { certificateAuthority, freePort } from './postgres'
import { until } from './processes'

const tls = (name: string) => resolve(import.meta.dir, 'tls', name)
const docs = resolve(import.meta.dir, '../../docs/operations.md')

export type Nginx = AsyncDisposable & { url: string; errors: () => string }

/** The server block that docs/operations.md gives, for this machine: other ports, the certificate of the tests. */
function serverBlock(port: number, upstream: string): string {
  const [, block] = /```nginx\n(.*?)```/s.exec(readFileSync(docs, 'utf8')) ?? []
  if (!block) throw new Error('docs/operations.md has no block of nginx.')
  return block
    .replace(/listen .*? ssl/, `listen 127.0.0.1:${port} ssl`)
    .replace(/listen \[::\].*\n/, '')
    .replace(/server_name .*;/, 'server_name localhost;')
    .replace(/ssl_certificate .*;/, `ssl_certificate ${tls('server.pem')};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${tls('server.key')};`)
    .replaceAll('http://127.0.0.1:8090', upstream)
}

/**
 * A real nginx with TLS and HTTP/2 in front of `upstream`, set up as the docs say.
 * @param change what is to be different
 */
export async function startNginx(upstream: string, change: (block: string) => string = (block) => block): Promise<Nginx> {
  const [folder, port] = [newFolder(), freePort()]
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const errors = join(folder, 'errors.log')
  const config = `daemon off; ${user} worker_processes 1; pid ${folder}/nginx.pid; error_log ${errors};
    events {} http { access_log off; ${temporary.join(' ')} ${change(serverBlock(port, upstream))} }`
  writeFileSync(join(folder, 'nginx.conf'), config)
  const child = spawn('nginx', ['-p', folder, '-e', errors, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  const said = () => readFileSync(errors, 'utf8')
  await until('nginx answers', () => answers(child, port, said))
  return {
    url: `https://localhost:${port}`,
    errors: said,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function answers(child: ChildProcess, port: number, said: () => string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`nginx ended:\n${said()}`)
  return fetch(`https://localhost:${port}/livez`, { tls: { ca: readFileSync(certificateAuthority, 'utf8') } }).then(
    () => true,
    () => false,
  )
}

type Sent = { token?: string; method?: string; headers?: string[]; form?: string[]; file?: string; output?: string; http?: '1.1' | '2' }
export type Received = { status: number; headers: string; body: string; http: string; exitCode: number }

/** One request by curl, which speaks HTTP/2. */
export async function curl(
  url: string,
  { token, method, headers = [], form = [], file, output, http = '2' }: Sent = {},
): Promise<Received> {
  const all = [...(token ? [`Authorization: Bearer ${token}`] : []), ...headers]
  const head = join(newFolder(), 'head')
  const child = Bun.spawn(
    [
      ...['curl', '-sS', '--cacert', certificateAuthority, http === '2' ? '--http2' : '--http1.1', '--max-time', '120', '-D', head],
      ...['-w', '\nended %{http_code} %{http_version}', ...(method ? ['-X', method] : []), ...(output ? ['-o', output] : [])],
      ...all.flatMap((header) => ['-H', header]),
      ...form.flatMap((part) => ['-F', part]),
      ...(file ? ['--data-binary', `@${file}`] : []),
      url,
    ],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' },
  )
  const [exitCode, told] = await Promise.all([child.exited, new Response(child.stdout).text()])
  const [, body = '', status, version = ''] = /^(.*)\nended (\d+) (\S+)$/s.exec(told) ?? []
  return { status: Number(status), headers: readFileSync(head, 'utf8'), body, http: version, exitCode }
}
