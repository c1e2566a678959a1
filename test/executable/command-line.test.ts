import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { json } from '../support/app'
import { type Call, call, newFolder, run } from '../support/executable'
import { freePort } from '../support/ports'
import { wasShutDown } from '../support/processes'
import { administrator, startUsed, usedDataDir } from '../support/used-data'

const commandNames = [
  'serve',
  'migrate',
  'users add',
  'users reset-password',
  'users list',
  'backup',
  'restore',
  'health',
  'openapi',
  'version',
]

describe('help', () => {
  test('--help lists every command and every setting, and starts nothing', async () => {
    const cwd = newFolder()
    const { code, stdout, stderr } = await run(['--help'], { cwd })
    expect([code, stderr]).toEqual([0, ''])
    for (const name of commandNames) expect(stdout).toContain(`\n  ${name} `)
    for (const name of ['DATABASE_URL', '--data-dir', 'ROWHOUSE_DATA_DIR', 'PUBLIC_URL']) expect(stdout).toContain(name)
    expect(existsSync(join(cwd, 'data'))).toBe(false)
  })

  test('<command> --help and help <command> explain that command', async () => {
    const asked = commandNames.flatMap((name) => [
      [...name.split(' '), '--help'],
      ['help', ...name.split(' ')],
    ])
    const answers = await Promise.all(asked.map((args) => run(args)))
    for (const [index, { code, stdout, stderr }] of answers.entries()) {
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(
        new RegExp(`^Usage: rowhouse ${commandNames[index >> 1]}( [A-Z]+)*( \\[--[a-z-]+(=…)?\\])*( \\[--setting=value …\\])?\\n`),
      )
    }
  })

  test.each([
    ['serve', ['--host', '--port', '--data-dir', '--log-format'], []],
    ['users add', ['--data-dir', '--database-url', '--argon2-passes'], ['--port', '--public-url', '--argon2-concurrency']],
    ['users list', ['--data-dir', '--query-timeout'], ['--port', '--argon2-passes']],
    ['migrate', ['--data-dir', '--database-direct-url', '--schemas', '--backup-keep'], ['--port', '--setup-code']],
    ['files check', ['--data-dir', '--s3-bucket'], ['--port', '--watch', '--argon2-passes']],
    ['health', ['--host', '--port'], ['--data-dir', '--database-url']],
    ['backup', ['--data-dir', '--passphrase-file', '--min-free-bytes', '--quiet '], ['--port', '--dry-run']],
    ['restore', ['--data-dir', '--passphrase-file'], ['--port', '--min-free-bytes']],
    ['openapi', [], ['--']],
    ['version', [], ['--']],
  ])('%s --help lists the settings that concern it', async (name, there, away) => {
    const { stdout } = await run([...name.split(' '), '--help'])
    for (const flag of there) expect(stdout).toContain(`\n  ${flag}${flag.endsWith(' ') ? '' : ', '}`)
    for (const flag of away) expect(stdout).not.toContain(`\n  ${flag}`)
  })

  test.each([[['users']], [['help', 'users']], [['users', '--help']]])('%p lists the commands of users', async (args) => {
    const { code, stdout } = await run(args)
    expect(code).toBe(0)
    for (const name of ['users add EMAIL ROLE ', 'users reset-password EMAIL ', 'users list ']) expect(stdout).toContain(`\n  ${name}`)
    expect(stdout).not.toContain('migrate')
  })

  test.each([[['help']], [['help', 'help']], [['--help']], [['-h']]])('%p is the whole of it', async (args) => {
    const { code, stdout } = await run(args)
    expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining('Rowhouse: tables')])
  })
})

test.each([
  [['--port=99999'], {}, ['--port', 'from 0 to 65535', '--port=8090']],
  [[], { PORT: 'http' }, ['PORT', 'from 0 to 65535', 'PORT=8090']],
  [[], { ROWHOUSE_QUERY_TIMEOUT: '30' }, ['ROWHOUSE_QUERY_TIMEOUT', 'unit', 'ROWHOUSE_QUERY_TIMEOUT=10s']],
  [[], { PUBLIC_URL: 'tables.example.org', LOG_LEVEL: 'loud' }, ['PUBLIC_URL', 'LOG_LEVEL', 'silent']],
  [[], { DATABASE_URL: 'mysql://root:hunter2@db/name' }, ['DATABASE_URL', 'postgres://']],
  [['migrate'], { TRUSTED_PROXIES: '10.0.0.0/40' }, ['TRUSTED_PROXIES', 'CIDR', 'Example']],
])('a wrong setting %p %p: exit 1 with its name, the problem and an example', async (args, environment, words) => {
  const cwd = newFolder()
  const { code, stderr, stdout } = await run(args, { cwd, environment: environment as Record<string, string> })
  expect([code, stdout]).toEqual([1, ''])
  for (const word of words) expect(stderr).toContain(word)
  expect(stderr).not.toContain('hunter2')
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})

test.each([
  [['serv'], 'There is no command "serv". Did you mean rowhouse serve?'],
  [['help', 'migrat'], 'There is no command "migrat". Did you mean rowhouse migrate?'],
  [['users', 'lst'], 'There is no command "users lst". Did you mean rowhouse users list?'],
  [['users', 'obliterate', 'ada@example.org'], 'There is no command "users obliterate". rowhouse users lists what there is.'],
  [['serve', 'now'], '"now" is one word too many: rowhouse serve takes no arguments.'],
  [['users', 'add', 'ada@example.org', 'admin', 'Ada'], '"Ada" is one word too many: rowhouse users add takes EMAIL ROLE.'],
  [['--prot=1'], 'There is no flag --prot. Did you mean --port?'],
  [['--dta-dir', 'x'], 'There is no flag --dta-dir. Did you mean --data-dir?'],
  [['--zzzzzzzz'], 'There is no flag --zzzzzzzz.'],
  [['-x'], 'There is no flag -x.'],
  [['--port'], '--port needs a value. Example: --port=8090'],
  [['--port', '--host=0.0.0.0'], '--port needs a value. Example: --port=8090'],
  [['--help=yes'], '--help takes no value.'],
])('%p: exit 2, what is wrong, and where to look', async (args, sentence) => {
  const cwd = newFolder()
  const { code, stdout, stderr } = await run(args, { cwd })
  expect([code, stdout, stderr]).toEqual([2, '', `rowhouse: ${sentence}\nrowhouse --help lists commands and settings.\n`])
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})

test('version, also as a flag', async () => {
  const [command, flag] = await Promise.all([run(['version']), run(['--version'])])
  expect(command.stdout).toMatch(/^rowhouse \d+\.\d+\.\d+ \([0-9a-f]{12}|unknown\)\n$/)
  expect(flag.stdout).toBe(command.stdout)
})

test('openapi prints the description without starting anything', async () => {
  const cwd = newFolder()
  const { code, stdout } = await run(['openapi'], { cwd })
  expect(code).toBe(0)
  const description = JSON.parse(stdout)
  expect(description.openapi).toStartWith('3.')
  expect(Object.keys(description.paths)).toEqual(expect.arrayContaining(['/auth/login', '/api/v1/tables', '/healthz']))
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})

test('health: 0 beside a ready service, 1 where none answers', async () => {
  await using service = await startUsed()
  const PORT = new URL(service.url).port
  expect((await run(['health'], { environment: { PORT } })).code).toBe(0)
  const port = String(freePort())
  const { code, stderr } = await run(['health'], { environment: { PORT: port } })
  expect(code).toBe(1)
  expect(stderr).toContain(`:${port}/readyz`)
})

test('health asks this machine, whatever proxy the environment names', async () => {
  await using service = await startUsed()
  const proxy = 'http://127.0.0.1:9'
  const environment = { PORT: new URL(service.url).port, http_proxy: proxy, HTTP_PROXY: proxy, ALL_PROXY: proxy }
  const { code, stdout } = await run(['health'], { environment })
  expect([code, JSON.parse(stdout).status]).toEqual([0, 'ok'])
})

describe('an address that cannot be listened on: exit 1, a sentence, and the database is stopped', () => {
  test('a port that another program has', async () => {
    const { dataDir } = await usedDataDir()
    using taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
    const { code, stderr } = await run([], { environment: { PORT: String(taken.port), ROWHOUSE_DATA_DIR: dataDir } })
    const sentence = `rowhouse: Port ${taken.port} of 127.0.0.1 is taken by another program; choose another with PORT.\n`
    expect([code, stderr]).toEqual([1, sentence])
    expect(wasShutDown(dataDir)).toBe(true)
  })

  test('a port that another Rowhouse has', async () => {
    await using service = await startUsed()
    const { dataDir } = await usedDataDir()
    const { port } = new URL(service.url)
    const { code, stderr } = await run([], { environment: { PORT: port, ROWHOUSE_DATA_DIR: dataDir } })
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Port ${port} of 127.0.0.1 is taken`)])
    expect(wasShutDown(dataDir)).toBe(true)
  })

  test('an address that the machine does not have', async () => {
    const { dataDir } = await usedDataDir()
    const environment = { HOST: '203.0.113.77', PORT: '0', ROWHOUSE_DATA_DIR: dataDir }
    const { code, stderr } = await run([], { environment })
    expect([code, stderr]).toEqual([1, 'rowhouse: 203.0.113.77 is not an address of this machine; choose another with HOST.\n'])
    expect(wasShutDown(dataDir)).toBe(true)
  })
})

test('an error that nobody expected is one sentence, and with LOG_LEVEL=debug its places, never our source', async () => {
  const fields = ['SFATAL', 'CXX000', 'Mthe ocean is empty', '', ''].join('\0')
  const refusal = Buffer.concat([Buffer.from('E'), new Uint8Array([0, 0, 0, fields.length + 4]), Buffer.from(fields)])
  using server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: (socket) => void socket.end(refusal) } })
  const environment = { DATABASE_URL: `postgres://u:p@127.0.0.1:${server.port}/name?sslmode=disable` }
  const plain = await run(['migrate'], { environment })
  expect([plain.code, plain.stderr]).toEqual([1, 'rowhouse: the ocean is empty (LOG_LEVEL=debug shows where)\n'])
  for (const [args, more] of [
    [['migrate', '--log-level', 'debug'], {}],
    [['migrate'], { LOG_LEVEL: 'trace' }],
  ] as const) {
    const { code, stderr } = await run([...args], { environment: { ...environment, ...more } })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^rowhouse: the ocean is empty\n\s+at /)])
    for (const line of stderr.trim().split('\n').slice(1)) expect(line).toMatch(/^\s+at .{1,300}$/)
  }
})

test('migrate, twice', async () => {
  const environment = { ROWHOUSE_DATA_DIR: join(newFolder(), 'data') }
  const first = await run(['migrate'], { environment })
  expect([first.code, first.stderr]).toEqual([0, ''])
  expect(first.stdout).toMatch(/^Applied: \d{4}_/)
  const second = await run(['migrate'], { environment })
  expect([second.code, second.stdout]).toEqual([0, 'The database is up to date.\n'])
})

describe('users', () => {
  const signIn = (url: string, email: string, password: string) => call(`${url}/auth/login`, { body: { email, password } })

  test('beside a running service: add, list, sign in, reset', async () => {
    await using service = await startUsed()
    const environment = { ROWHOUSE_DATA_DIR: service.dataDir }
    const users = (args: string[], input = '') => run(['users', ...args], { environment, input })
    expect(await users(['add', 'bob@example.org', 'editor'], 'a long enough one\n')).toMatchObject({ code: 0, stderr: '' })
    expect((await signIn(service.url, 'bob@example.org', 'a long enough one')).status).toBe(200)
    const listed = await users(['list'])
    expect(listed.stdout).toMatch(/^ada@example\.org\tadmin\tactive\t.*\nbob@example\.org\teditor\tactive\t\d{4}-/)
    const cookie = (await signIn(service.url, administrator.email, administrator.password)).headers.getSetCookie()[0]!.split(';')[0]!
    expect((await users(['reset-password', administrator.email], 'another long one\n')).code).toBe(0)
    expect((await call(`${service.url}/auth/me`, { cookie })).status).toBe(401)
    expect((await call(`${service.url}/auth/me`, { token: service.token })).status).toBe(401)
    expect((await signIn(service.url, administrator.email, administrator.password)).status).toBe(401)
    const again = await signIn(service.url, administrator.email, 'another long one')
    expect((await json(again)).user).toMatchObject({ email: administrator.email })
  })

  test('a service user is added without a password, and is given none', async () => {
    await using service = await startUsed()
    const users = (args: string[], input = '') => run(['users', ...args], { environment: { ROWHOUSE_DATA_DIR: service.dataDir }, input })
    const added = await users(['add', '--service', 'Nightly\timport', 'admin'])
    expect(added).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Added Nightly import (admin), a service user.') })
    const [, line = ''] = (await users(['list'])).stdout.split('\n')
    expect(line).toMatch(/^service-[0-9a-f]{12}@service\.invalid\tadmin\tactive\tnever\tservice\tNightly import$/)
    const refused = await users(['reset-password', line.split('\t')[0]!], 'a long enough one\n')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('This is a service user: it has no password') })
    expect(await users(['add', '--service', 'Nightly import'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Usage: rowhouse users add --service NAME admin|editor|viewer'),
    })
  })

  test('a new password ends the link of an earlier reset, and does not let a disabled user in', async () => {
    await using service = await startUsed()
    const environment = { ROWHOUSE_DATA_DIR: service.dataDir }
    const reset = (email: string) => run(['users', 'reset-password', email], { environment, input: 'another long one\n' })
    const asAdmin = (path: string, more: Call) => call(`${service.url}/api/v1/users${path}`, { token: service.token, ...more })
    const { user, inviteToken } = await json(asAdmin('', { body: { email: 'zoe@example.org', role: 'editor' } }))
    expect((await reset(user.email)).stdout).not.toContain('disabled')
    expect((await call(`${service.url}/auth/invite/check`, { body: { inviteToken } })).status).toBe(404)
    expect((await call(`${service.url}/auth/invite`, { body: { inviteToken, password: 'words of a stranger' } })).status).toBe(404)
    expect((await signIn(service.url, user.email, 'another long one')).status).toBe(200)
    await asAdmin(`/${user.id}`, { method: 'PATCH', body: { disabled: true } })
    expect(await reset(user.email)).toMatchObject({ code: 0, stdout: expect.stringContaining('is disabled and cannot sign in') })
    expect((await signIn(service.url, user.email, 'another long one')).status).toBe(401)
  })

  test('a password is UTF-8 text, with or without a byte order mark', async () => {
    await using service = await startUsed()
    const environment = { ROWHOUSE_DATA_DIR: service.dataDir }
    const add = (input: Uint8Array) => run(['users', 'add', 'rene@example.org', 'viewer'], { environment, input })
    const refused = await add(Buffer.from('caf\u00e9 au lait, twice', 'latin1'))
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^rowhouse: .*not UTF-8.*\n$/)])
    expect((await add(Buffer.from('\ufeffcaf\u00e9 au lait, twice\r\n'))).code).toBe(0)
    expect((await signIn(service.url, 'rene@example.org', 'caf\u00e9 au lait, twice')).status).toBe(200)
  })

  test('without a service: the database is started for as long as it takes', async () => {
    const { dataDir } = await usedDataDir()
    const environment = { ROWHOUSE_DATA_DIR: dataDir }
    const { code, stderr } = await run(['users', 'add', 'eve@example.org', 'viewer'], { environment, input: 'a long enough one' })
    expect([code, stderr]).toEqual([0, ''])
    expect((await run(['users', 'list'], { environment })).stdout).toContain('eve@example.org\tviewer\tactive\tnever')
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false)
  })

  test('what cannot be done is said in a sentence, with exit 1, and wrong usage with exit 2', async () => {
    await using service = await startUsed()
    const environment = { ROWHOUSE_DATA_DIR: service.dataDir }
    const cases: [args: string[], input: string, word: string, exit?: number][] = [
      [['add', administrator.email, 'viewer'], 'a long enough one', 'already'],
      [['add', 'not an address', 'viewer'], 'a long enough one', 'e-mail'],
      [['add', 'short@example.org', 'viewer'], 'short', '8'],
      [['add', 'short@example.org', 'emperor'], '', 'admin|editor|viewer', 2],
      [['reset-password', 'nobody@example.org'], 'a long enough one', 'no user'],
      [['reset-password'], '', 'Usage', 2],
    ]
    const answers = await Promise.all(cases.map(([args, input]) => run(['users', ...args], { environment, input })))
    for (const [index, { code, stderr }] of answers.entries()) {
      expect(stderr).toMatch(/^rowhouse: [^\n]*\n(rowhouse --help lists commands and settings\.\n)?$/)
      const [, , word, exit = 1] = cases[index]!
      expect([code, stderr]).toEqual([exit, expect.stringContaining(word)])
    }
  })

  test('where there is no database: the folder, and nothing is made', async () => {
    const dataDir = join(newFolder(), 'data')
    const { code, stderr } = await run(['users', 'list'], { environment: { ROWHOUSE_DATA_DIR: dataDir } })
    expect([code, stderr]).toEqual([1, expect.stringContaining(dataDir)])
    expect(existsSync(dataDir)).toBe(false)
  })
})

test('plugins check where there is no folder of plugins is an error, and says which was looked for', async () => {
  const cwd = newFolder()
  const { code, stderr } = await run(['plugins', 'check'], { cwd })
  expect(code).toBe(1)
  expect(stderr).toContain(`There is no folder ${join(cwd, 'plugins')}.`)
})
