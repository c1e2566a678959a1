import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../src/app'
import { auditKinds } from '../src/auth/audit/audit-log'
import { refusalReasons } from '../src/auth/refusal-reason'
import { commands } from '../src/commands'
import { createDeps } from '../src/commands/bootstrap'
import { settingsTable } from '../src/commands/help'
import { failureKinds } from '../src/errors'
import { createEvents } from '../src/ops/log/events'
import { readConfig } from '../src/ops/settings/config'
import { settings } from '../src/ops/settings/settings'
import { queryLimits } from '../src/records/query/parse/limits'

const root = join(import.meta.dir, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const readme = read('README.md')
const errors = read('docs/errors.md')
const api = read('docs/api.md')

describe('the documents', () => {
  test('the README begins with the two commands', () => {
    expect(readme).toContain('npx -y bun@1.4.5 run start')
    expect(readme).toContain('npx -y bun@1.4.5 run check')
    expect(read('.ci/run')).toContain('npx -y bun@1.4.5 run check')
  })

  test('the table of settings in the README is the one of the code', () => {
    expect(readme).toContain(settingsTable())
  })

  test('the headers of a proxy are in the help and in docs/authentication.md', () => {
    const authentication = read('docs/authentication.md').toLowerCase()
    const headers = [...new Set(read('src/http/request/peer.ts').match(/x-forwarded-\w+/g))].sort()
    expect(headers).toEqual(['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'])
    for (const header of headers) {
      expect(settings.trustedProxies.help.toLowerCase()).toContain(header)
      expect(authentication).toContain(`\`${header}\``)
    }
  })

  test('every command stands in the README', () => {
    for (const { name } of commands) expect(readme).toMatch(new RegExp(`rowhouse \\[?${name}\\b`))
  })

  test('every kind of error is explained in docs/errors.md', () => {
    for (const kind of failureKinds) expect(errors).toContain(`\`${kind}\``)
  })

  test('every kind of entry in the audit log stands in docs/authentication.md', () => {
    const authentication = read('docs/authentication.md')
    expect(auditKinds.filter((kind) => !authentication.includes(`\`${kind}\``))).toEqual([])
  })

  test('every reason of a refusal is in docs/authentication.md, except one that no token meets: each has at least the scope read', () => {
    const authentication = read('docs/authentication.md')
    expect(refusalReasons.filter((reason) => !authentication.includes(`\`${reason}\``))).toEqual(['scope_lacks_read'])
  })

  test('the limits of a query stand in docs/query-grammar.md', () => {
    const grammar = read('docs/query-grammar.md')
    for (const limit of Object.values(queryLimits))
      expect(grammar).toMatch(new RegExp(`\\| ${String(limit).replace(/(\d{2})(\d{3})$/, '$1 $2')} \\|`))
  })

  test('every route stands in docs/api.md', () => {
    const config = readConfig({})
    const deps = createDeps(config, createEvents(), { socketPath: '/nonexistent', user: 'nobody', database: 'none' }, () => true)
    // The twins of /auth and of the health checks under /api/v1 are said once.
    const paths = createApp(deps).routes.map(({ method, path }) => `${method} ${path.replace(/\/$/, '') || '/'}`)
    const shown = (route: string) => route.replace(/:(\w+)/g, '{$1}').replace(/ \/api\/v1(\/auth|\/healthz|\/readyz|\/version)/, ' $1')
    for (const route of paths) expect(api).toContain(`\`${shown(route)}\``)
  })

  test('links between documents lead somewhere', () => {
    const documents = ['README.md', 'CHANGELOG.md', ...readdirSync(join(root, 'docs'), { recursive: true }).map((name) => `docs/${name}`)]
    for (const document of documents.filter((name) => name.endsWith('.md'))) {
      for (const [, target = ''] of read(document).matchAll(/\]\(([^)#]+)/g)) {
        if (/^https?:/.test(target)) continue
        expect({ document, target, exists: isThere(join(root, document, '..', target)) }).toEqual({ document, target, exists: true })
      }
    }
  })
})

function isThere(path: string): boolean {
  try {
    return readFileSync(path).length >= 0
  } catch (error) {
    return (error as { code?: string }).code === 'EISDIR'
  }
}
