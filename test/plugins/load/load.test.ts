import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadPlugins, pluginProblems, wholePlugins } from '../../../src/plugins/load/loaded'
import { json, startApp } from '../../support/app'
import { endpoints, pluginsWith, shippedPlugins } from '../../support/plugins'

const good = endpoints(`{ method: 'GET', path: '/ok', public: true, allow: () => true, handle: () => ({ ok: true }) }`)

/** An endpoint that is whole but for one member. */
function declared(member: string, message: string, isPublic = true): [string, string, number, string] {
  const text = `{ method: "GET", path: "/a", public: ${isPublic}, ${member}, allow: () => true, handle: () => 1 }`
  return [member, endpoints(text), 3, message]
}

/** What is wrong with a plugin, by the text of its plugin.ts: line (null for none) and a part of the message. */
const broken: [string, string, number | null, string][] = [
  ['a syntax error', 'import { endpoint } from "rowhouse/plugin"\n\nexport default endpoint({ method: "GET", \n', 3, ''],
  ['a throw', '\n\nthrow new Error("no database")\n', 3, 'no database'],
  ['a throw of something else', 'throw "text"', null, 'text'],
  ['a module that is not there', 'import "nowhere-to-be-found"\nexport default 1', 1, 'nowhere-to-be-found'],
  ['nothing exported', 'export const a = 1', null, 'exports nothing by default'],
  ['an empty list', 'export default []', null, 'exports nothing by default'],
  [
    'a look-alike',
    'export default { "~endpoint": true, method: "GET", path: "/", public: true, allow() {}, handle() {} }',
    null,
    'not made by endpoint',
  ],
  [
    'no declaration of publicness',
    endpoints('{ method: "GET", path: "/a", allow: () => true, handle: () => 1 }'),
    3,
    'whether it is public',
  ],
  [
    'a publicness that is no boolean',
    endpoints('{ method: "GET", path: "/a", public: "yes", allow: () => true, handle: () => 1 }'),
    3,
    'whether it is public',
  ],
  ['no allow', endpoints('{ method: "GET", path: "/a", public: true, handle: () => 1 }'), 3, '"allow"'],
  ['no handle', endpoints('{ method: "GET", path: "/a", public: true, allow: () => true }'), 3, '"handle"'],
  ['no method', endpoints('{ path: "/a", public: true, allow: () => true, handle: () => 1 }'), 3, '"method"'],
  ['a path without a slash', endpoints('{ method: "GET", path: "a", public: true, allow: () => true, handle: () => 1 }'), 3, '"path"'],
  [
    'a path out of its own',
    endpoints('{ method: "GET", path: "/../other", public: true, allow: () => true, handle: () => 1 }'),
    3,
    '"path"',
  ],
  [
    'own credentials that are not public',
    endpoints(`{ method: "GET", path: "/a", public: false, credentials: 'own', allow: () => true, handle: () => 1 }`),
    3,
    'public: true',
  ],
  ...[`'https://shop.example'`, '[]', `['https://shop.example/']`, `['*', 'https://shop.example']`, `['shop.example']`, '[7]', 'null'].map(
    (cors) => declared(`cors: ${cors}`, '"cors", which has to be a list of origins'),
  ),
  ...['{}', '7', 'null', `'30/m'`, `{ perIP: '30/m' }`, `{ perIp: '30/m', burst: 5 }`].map((limit) =>
    declared(`limit: ${limit}`, '"limit", which has to have "perIp", "perToken" or both'),
  ),
  ...[`'30'`, `'0/m'`, `'30/w'`, '30', 'null'].map((limit) => declared(`limit: { perIp: ${limit} }`, `such as '30/m'`)),
  declared(`limit: { perToken: '1.5/m' }`, '"limit.perToken", which has to be a count and a time', false),
  declared(`limit: { perToken: '30/m' }`, 'has to be "public: false"'),
  [
    'a schema that is none',
    endpoints('{ method: "GET", path: "/a", public: true, query: { type: "object" }, allow: () => true, handle: () => 1 }'),
    3,
    'not a schema',
  ],
  [
    'a path twice',
    endpoints(
      '{ method: "GET", path: "/a/:x", public: true, allow: () => true, handle: () => 1 }',
      '{ method: "GET", path: "/a/:y/", public: true, allow: () => true, handle: () => 1 }',
    ),
    4,
    'declared twice',
  ],
  [
    'two names for one part',
    endpoints(
      '{ method: "GET", path: "/a/:x", public: true, allow: () => true, handle: () => 1 }',
      '{ method: "GET", path: "/a/:y/b", public: true, allow: () => true, handle: () => 1 }',
    ),
    4,
    ':x',
  ],
  ['a wait without end', 'await new Promise(() => {})', null, 'longer than 3 s'],
  ['a loop without end', 'while (true) {}', null, 'longer than 3 s'],
  ['an end of the process', 'process.exit(0)', null, 'ended the process'],
]

const bad = Object.fromEntries(broken.map(([, text], index) => [`bad-${index}/plugin.ts`, text]))
const loaded = await loadPlugins(pluginsWith({ ...bad, 'a-good/plugin.ts': good, 'good/plugin.ts': good }), process.env, 3000)

test('between plugins that cannot be loaded, the others are there', () => {
  expect(wholePlugins(loaded).map(({ name }) => name)).toEqual(['a-good', 'good'])
})

test.each(broken.map(([what, , line, message], index) => [what, index, line, message] as const))(
  'a plugin with %s is reported with its place and left out',
  (_what, index, line, message) => {
    expect(loaded.all.find(({ name }) => name === `bad-${index}`)?.problems).toEqual([
      {
        file: expect.stringMatching(new RegExp(`^bad-${index}(/|$)`)),
        line,
        column: line === null || message === 'nowhere-to-be-found' ? null : expect.any(Number),
        message: expect.stringContaining(message),
      },
    ])
  },
)

test('a plugin has its own files, packages and settings', async () => {
  const folder = pluginsWith({
    'README.md': 'no plugin',
    '.git/x': '',
    'node_modules/x/index.js': '',
    'js/plugin.js': good,
    'own/plugin.ts': `import { endpoint } from 'rowhouse/plugin'\nimport { word } from './lib/word'\nimport { other } from 'other'
export default endpoint({ method: 'GET', path: '/', public: true, allow: () => true, handle: ({ settings }) => [word, other, settings] })`,
    'own/lib/word.ts': `export const word: string = 'word'`,
    'own/node_modules/other/package.json': '{"name": "other", "main": "index.js"}',
    'own/node_modules/other/index.js': `module.exports.other = 'other'`,
    'own/settings.toml': 'key = "from the file"\nlimit = 3\n[nested]\na = 1\n',
    'own-too/plugin.ts': good,
  })
  const environment = {
    ROWHOUSE_PLUGIN_OWN__KEY: '',
    ROWHOUSE_PLUGIN_OWN__LIMIT: '7',
    ROWHOUSE_PLUGIN_OWN__API_KEY: 'secret',
    ROWHOUSE_PLUGIN_OWN__OTHER_KEY: '',
    ROWHOUSE_PLUGIN_OWN_TOO__KEY: 'theirs',
  }
  const app = await startApp(environment, { plugins: folder })
  expect(await json(app.call('/api/v1/custom/own'))).toEqual([
    'word',
    'other',
    { key: 'from the file', limit: 7, nested: { a: 1 }, apiKey: 'secret' },
  ])
  expect(await json(app.call('/api/v1/custom/js/ok'))).toEqual({ ok: true })
})

test('an empty key opens the shipped plugin to nobody', async () => {
  const folder = shippedPlugins()
  writeFileSync(join(folder, 'hello/settings.toml'), 'key = ""\n')
  const app = await startApp({}, { plugins: folder })
  expect((await app.call('/api/v1/custom/hello/staff', { headers: { 'x-key': '' } })).status).toBe(401)
})

test.each([
  ['TOML that cannot be read', { 'bad/settings.toml': 'key = "secret\n' }, {}, 'settings.toml cannot be read (line 1)'],
  ['TOML with a mistake in a later line', { 'bad/settings.toml': 'a = 1\n\n[b]\nkey = secret\nc = 2\n' }, {}, '(line 4)'],
  [
    'a variable of another type',
    { 'bad/settings.toml': 'limit = 3' },
    { ROWHOUSE_PLUGIN_BAD__LIMIT: 'secret' },
    'ROWHOUSE_PLUGIN_BAD__LIMIT must be a number',
  ],
])('%s is a problem that does not show the value', async (_what, files, environment, message) => {
  const loaded = await loadPlugins(pluginsWith({ 'bad/plugin.ts': good, ...files } as Record<string, string>), environment)
  expect(pluginProblems(loaded)).toEqual([expect.objectContaining({ message: expect.stringContaining(message) })])
  expect(JSON.stringify(loaded)).not.toContain('secret')
})

test('a folder that has no name for a plugin is a problem, and no directory is none', async () => {
  const loaded = await loadPlugins(pluginsWith({ 'Bad_Name/plugin.ts': good, 'empty/x.txt': '' }), {})
  expect(pluginProblems(loaded).map(({ file }) => file)).toEqual(['Bad_Name', 'empty'])
  expect((await loadPlugins('/nonexistent/plugins', {})).all).toEqual([])
})

describe('what is told', () => {
  const start = () => startApp({}, { plugins: pluginsWith({ 'bad/plugin.ts': '\nthrow new Error("no")', 'good/plugin.ts': good }) })

  test('GET /api/v1/plugins tells an administrator', async () => {
    const app = await start()
    expect(await json(app.call('/api/v1/plugins', { as: 'admin' }))).toEqual({
      plugins: [
        {
          name: 'bad',
          state: 'failed',
          endpoints: [],
          templates: [],
          problems: [{ file: 'bad/plugin.ts', line: 2, column: expect.any(Number), message: 'no' }],
        },
        {
          name: 'good',
          state: 'loaded',
          endpoints: [{ method: 'GET', path: '/api/v1/custom/good/ok', public: true }],
          templates: [],
          problems: [],
        },
      ],
    })
    for (const as of ['editor', 'viewer'] as const) expect((await app.call('/api/v1/plugins', { as })).status).toBe(403)
    expect((await app.call('/api/v1/plugins')).status).toBe(401)
  })

  test('/readyz tells the number, and requests may still be sent', async () => {
    const app = await start()
    const response = await app.call('/readyz')
    expect({ status: response.status, body: await json(response) }).toEqual({
      status: 200,
      body: {
        status: 'degraded',
        checks: {
          database: 'ok',
          storage: 'ok',
          serving: true,
          failedPlugins: 1,
          backup: 'off',
          backupAgeSeconds: null,
          walArchive: 'off',
          walArchiveLagSeconds: null,
        },
      },
    })
  })
})
