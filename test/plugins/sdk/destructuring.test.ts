import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { json, startApp } from '../../support/app'
import { newFolder } from '../../support/executable'
import { endpoints, pluginsWith } from '../../support/plugins'

const contract = await Bun.file(join(import.meta.dir, '../../../src/plugins/sdk/rowhouse-plugin.d.ts')).text()

/** The names that an interface of the contract declares. */
function membersOf(name: string): string[] {
  const start = contract.search(new RegExp(`^  export interface ${name}\\b`, 'm'))
  const body = contract.slice(start, contract.indexOf('\n  }\n', start))
  return [...body.matchAll(/^ {4}(?:readonly )?(\w+)(?:<[^(]*>)?[(:]/gm)].map(([, member]) => member!)
}

/** How each member is used once it was taken out of its object by name: code in which it is a bare name. */
const uses: Record<string, Record<string, string>> = {
  Call: {
    method: 'method',
    path: 'path',
    requestId: 'requestId',
    address: 'address',
    language: 'language',
    params: 'params',
    query: 'query',
    body: 'body',
    headers: 'headers.get("content-type")',
    text: 'text()',
    bytes: 'bytes()',
    auth: 'auth.require()',
    actor: 'actor',
    asSystem: 'asSystem().records("books").list()',
    documents: 'documents.render({ template: "note" })',
    fetch: 'fetch(home + "/healthz").then((response) => response.json())',
    signal: 'signal.aborted',
    log: 'log.info("seen")',
    settings: 'settings',
  },
  Data: {
    records: 'records("books").list()',
    transaction: 'transaction(({ records }) => records("books").list())',
    files: 'files.list("books", 1, "cover")',
    sql: 'sql`select 1 as one`',
  },
  Auth: { require: 'require()', optional: 'optional()' },
  Logger: { debug: 'debug("x")', info: 'info("x")', warn: 'warn("x")', error: 'error("x")' },
  Records: {
    find: 'find(1)',
    list: 'list()',
    create: 'create({ title: "x" })',
    update: 'update(1, { title: "y" })',
    remove: 'create({}).then(({ id }) => remove(id))',
    tableName: 'tableName()',
    texts: 'texts([{ id: 1, title: "x" }])',
  },
  Files: {
    list: 'list("books", 1, "cover")',
    read: 'read("books", 1, "cover")',
    write: 'write("books", 1, "cover", { name: "b.txt", bytes: "b" })',
  },
}

/** Where a call has an object of each. */
const owners: Record<string, string[]> = {
  Call: ['call'],
  Data: ['call', 'call.asSystem()'],
  Auth: ['call.auth'],
  Logger: ['call.log'],
  Records: ['call.records("books")', 'call.asSystem().records("books")', 'tx.records("books")'],
  Files: ['call.files', 'call.asSystem().files'],
}

const run = `{ method: 'POST', path: '/run/:id', public: false, params: t.Object({ id: t.Integer() }), body: t.Object({ code: t.String(), home: t.String() }),
  allow: () => true, handle: async (call) => {
    const run = (tx) => new (async () => {}).constructor('call', 'tx', 'home', call.body.code)(call, tx, call.body.home)
    return { value: await (call.body.code.includes('tx.') ? call.transaction(run) : run()) ?? null }
  } }`
const template = `import { documentTemplate } from 'rowhouse/plugin'
export default documentTemplate({ title: 'Note', public: false, allow: () => true, load: () => ({}), formats: { txt: 'note.liquid' } })`
const plugins = pluginsWith({
  'try/plugin.ts': endpoints(run),
  'try/note/template.ts': template,
  'try/note/note.liquid': 'x',
})
const app = await startApp({ ROWHOUSE_DATA_DIR: join(newFolder(), 'data') }, { plugins })
const columns = [
  { name: 'title', type: 'text' },
  { name: 'cover', type: 'attachment' },
]
await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns } }))
await app.call('/api/v1/tables/books/records', { as: 'editor', body: { title: 'first' } })

test.each(Object.keys(uses))('every member of %s is tried', (name) => {
  expect(Object.keys(uses[name]!).sort()).toEqual([...new Set(membersOf(name))].sort())
})

const cases = Object.entries(owners).flatMap(([type, places]) =>
  places.flatMap((place) => Object.entries(uses[type]!).map(([member, use]) => [member, place, use] as const)),
)
test.each(cases)('%s can be taken out of %s by name', async (member, place, use) => {
  // `remove` needs a record of its own to take away.
  const names = use.includes('create(') ? [...new Set([member, 'create'])] : [member]
  const code = `const { ${names.join(', ')} } = ${place}; return ${use}`
  app.events.length = 0
  const response = await app.call('/api/v1/custom/try/run/1', { as: 'editor', body: { code, home: app.url } })
  const failures = app.events.flatMap((event) => (event.kind === 'plugin_failed' ? [String(event.error)] : []))
  expect({ status: response.status, failures }).toEqual({ status: 200, failures: [] })
})
