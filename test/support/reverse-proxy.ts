import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { newFolder } from './executable'
import { certificateAuthority } from './postgres'
import { startServerProcess } from './server-process'

export type ReverseProxy = AsyncDisposable & { url: string; errors: () => string }

export const tlsFile = (name: string) => resolve(import.meta.dir, 'tls', name)

const docs = resolve(import.meta.dir, '../../docs/running.md')

/** The configuration from docs/running.md. */
export function proxyBlock(language: 'nginx' | 'caddy'): string {
  const [, block] = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(readFileSync(docs, 'utf8')) ?? []
  if (!block) throw new Error(`docs/running.md has no block of ${language}.`)
  return block
}

type Place = { port: number; folder: string; environment?: Record<string, string> }

/** Runs a proxy that listens with the certificate of the tests; its output is stored. */
export async function startProxy(program: string, args: string[], { port, folder, environment }: Place): Promise<ReverseProxy> {
  const env = { PATH: process.env.PATH ?? '', ...environment }
  const server = startServerProcess(program, args, { cwd: folder, env })
  await server.untilReady(`${program} answers`, () => answers(port))
  return {
    url: `https://localhost:${port}`,
    errors: server.output,
    [Symbol.asyncDispose]: async () => {
      await server.end('SIGTERM')
    },
  }
}

const answers = (port: number): Promise<boolean> =>
  fetch(`https://localhost:${port}/livez`, { tls: { ca: readFileSync(certificateAuthority, 'utf8') } }).then(
    () => true,
    () => false,
  )

type Sent = {
  token?: string
  method?: string
  headers?: string[]
  form?: string[]
  file?: string
  output?: string
  http?: '1.1' | '2'
  /** The local address from which the request is sent. */
  from?: string
}
export type Received = { status: number; headers: string; body: string; http: string; exitCode: number }

/** One request by curl, which supports HTTP/2. */
export async function curl(
  url: string,
  { token, method, headers = [], form = [], file, output, http = '2', from }: Sent = {},
): Promise<Received> {
  const all = [...(token ? [`Authorization: Bearer ${token}`] : []), ...headers]
  const head = join(newFolder(), 'head')
  const child = Bun.spawn(
    [
      ...['curl', '-sS', '--cacert', certificateAuthority, http === '2' ? '--http2' : '--http1.1', '--max-time', '120', '-D', head],
      ...['-w', '\nended %{http_code} %{http_version}', ...(method ? ['-X', method] : []), ...(output ? ['-o', output] : [])],
      ...(from ? ['--interface', from] : []),
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
