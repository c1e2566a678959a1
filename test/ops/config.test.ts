import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, readConfig } from '../../src/ops/settings/config'
import type { Setting } from '../../src/ops/settings/setting-readers'
import { type SettingKey, settings } from '../../src/ops/settings/settings'
import { newFolder } from '../support/executable'

const all = Object.values(settings) as Setting<unknown>[]

describe('settings', () => {
  test('have names and flags of their own', () => {
    expect(new Set(all.map(({ env }) => env)).size).toBe(all.length)
    expect(new Set(all.map(({ flag }) => flag)).size).toBe(all.length)
    for (const { env, flag } of all) {
      const words = env.toLowerCase().replaceAll('_', '-')
      expect([words, words.replace(/^rowhouse-/, '')]).toContain(flag)
    }
  })

  test('with nothing set, the defaults hold', () => {
    const config = readConfig({})
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8090, dataDir: './data', dataDirIsDefault: true })
    expect(config).toMatchObject({ queryTimeoutMs: 30_000, maxBodyBytes: 10 * 2 ** 20, databasePrepare: true, publicDocs: false })
    expect(config.databaseUrl).toBeUndefined()
    expect(config.publicUrl).toBeUndefined()
  })

  test('a flag goes before the environment, the environment before the default', () => {
    expect(readConfig({ PORT: '1' }, { port: '2' }).port).toBe(2)
    expect(readConfig({ PORT: '1' }).port).toBe(1)
  })

  test('an empty variable counts as unset', () => {
    expect(readConfig({ PORT: '', PUBLIC_URL: '' })).toMatchObject({ port: 8090 })
  })

  test.each(Object.entries(settings) as [SettingKey, Setting<unknown>][])(
    '%s: the default that --help prints may be given, too',
    (key, { env, flag, default: text, shownDefault = text }) => {
      const read = (...given: Parameters<typeof readConfig>) => JSON.stringify(readConfig(...given)[key])
      const unset = read({})
      expect([read({ [env]: shownDefault }), read({}, { [flag]: shownDefault })]).toEqual([unset, unset])
    },
  )

  test('a data directory that is given does not move', () => {
    expect(readConfig({ ROWHOUSE_DATA_DIR: './data' }).dataDirIsDefault).toBe(false)
    expect(readConfig({}, { 'data-dir': '/x' }).dataDirIsDefault).toBe(false)
  })
})

describe('a value', () => {
  test.each([
    ['PORT', '0', 'port', 0],
    ['PORT', '65535', 'port', 65535],
    ['ROWHOUSE_QUERY_TIMEOUT', '500ms', 'queryTimeoutMs', 500],
    ['ROWHOUSE_QUERY_TIMEOUT', '2m', 'queryTimeoutMs', 120_000],
    ['ROWHOUSE_MAX_BODY_BYTES', '4096', 'maxBodyBytes', 4096],
    ['ROWHOUSE_MAX_BODY_BYTES', '8MB', 'maxBodyBytes', 8 * 2 ** 20],
    ['ROWHOUSE_MAX_BODY_BYTES', '2 kb', 'maxBodyBytes', 2048],
    ['DATABASE_PREPARE', 'no', 'databasePrepare', false],
    ['DATABASE_PREPARE', 'TRUE', 'databasePrepare', true],
    ['PUBLIC_URL', 'https://Tables.Example.org/', 'publicUrl', 'https://tables.example.org'],
    ['LOG_LEVEL', 'silent', 'logLevel', 'silent'],
  ] as const)('%s=%s is understood', (env, value, key, expected) => {
    expect(readConfig({ [env]: value })[key]).toBe(expected)
  })

  const refused: [string, string][] = [
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PORT', ' 80'],
    ['PORT', 'http'],
    ['PUBLIC_URL', 'tables.example.org'],
    ['PUBLIC_URL', 'ftp://tables.example.org'],
    ['PUBLIC_URL', 'https://tables.example.org/rowhouse'],
    ['PUBLIC_URL', 'https://user:secret@tables.example.org'],
    ['TRUSTED_PROXIES', 'proxy.example.org'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,'],
    ['TRUSTED_PROXIES', '::1/129'],
    ['DATABASE_URL', 'mysql://db.example.org/name'],
    ['DATABASE_URL', 'db.example.org'],
    ['DATABASE_CA_FILE', '/nonexistent/ca.pem'],
    ['DATABASE_POOL_SIZE', '0'],
    ['DATABASE_PREPARE', 'maybe'],
    ['ROWHOUSE_QUERY_TIMEOUT', '30'],
    ['ROWHOUSE_QUERY_TIMEOUT', '1ms'],
    ['ROWHOUSE_QUERY_TIMEOUT', '5m'],
    ['ROWHOUSE_QUERY_TIMEOUT', '-1s'],
    ['ROWHOUSE_MAX_BODY_BYTES', '1TB'],
    ['ROWHOUSE_MAX_BODY_BYTES', '10'],
    ['ROWHOUSE_USER', 'a; rm -rf /'],
    ['SETUP_CODE', 'short'],
    ['LOG_LEVEL', 'verbose'],
    ['LOG_FORMAT', 'xml'],
  ]

  test.each(refused)('%s=%s stops the start, and the sentence names the setting and an example', (env, value) => {
    const setting = all.find((each) => each.env === env)!
    expect(() => readConfig({ [env]: value })).toThrow(new RegExp(`^${env} .+\\. Example: ${env}=`))
    expect(() => readConfig({}, { [setting.flag]: value })).toThrow(new RegExp(`^--${setting.flag} .+\\. Example: --${setting.flag}=`))
  })

  test('that is wrong is never shown: it may be a secret', () => {
    for (const { env } of all) {
      try {
        readConfig({ [env]: 'zebra7\0secret' })
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError)
        expect((error as Error).message).not.toContain('zebra7')
      }
    }
  })

  test('is one of several that are wrong: all are told at once', () => {
    const read = () => readConfig({ PORT: 'x', LOG_LEVEL: 'x', SETUP_CODE: 'x' })
    expect(read).toThrow(/PORT.*\n.*SETUP_CODE.*\n.*LOG_LEVEL/s)
  })

  test.each(all.map((setting) => [setting.env, setting] as const))('%s: its own example is right', (_env, { read, example, env }) => {
    if (env === 'DATABASE_CA_FILE') return expect(() => read(example)).toThrow('cannot be read')
    expect(() => read(example)).not.toThrow()
  })
})

describe('the cost of a password hash stays above OWASP’s floor', () => {
  test.each([
    ['19456', '2', null],
    ['47104', '1', null],
    ['12288', '3', null],
    ['12288', '4', null],
    ['1048576', '1', null],
    ['19455', '2', 19_456],
    ['47103', '1', 47_104],
    ['19456', '1', 47_104],
    ['12288', '2', 19_456],
  ])('%s KiB with %s passes', (kib, passes, least) => {
    const read = () => readConfig({ ROWHOUSE_ARGON2_MEMORY_KIB: kib, ROWHOUSE_ARGON2_PASSES: passes })
    if (least === null) expect(read()).toMatchObject({ argon2MemoryKib: Number(kib), argon2Passes: Number(passes) })
    else expect(read).toThrow(`ROWHOUSE_ARGON2_MEMORY_KIB must be at least ${least} with ROWHOUSE_ARGON2_PASSES=${passes}. Example:`)
  })

  test.each([
    ['12287', '3'],
    ['4194305', '3'],
    ['19456', '0'],
  ])('%s KiB with %s passes are no setting at all', (kib, passes) => {
    expect(() => readConfig({ ROWHOUSE_ARGON2_MEMORY_KIB: kib, ROWHOUSE_ARGON2_PASSES: passes })).toThrow(ConfigError)
  })

  test('the defaults are the floor of two passes', () => {
    expect(readConfig({})).toMatchObject({ argon2MemoryKib: 19_456, argon2Passes: 2 })
  })
})

const latin1File = join(newFolder(), 'password')
writeFileSync(latin1File, Buffer.from('caf\u00e9 au lait', 'latin1'))

test.each([
  ['an e-mail alone', { ROWHOUSE_ADMIN_EMAIL: 'ada@example.org' }, /go together/],
  ['a password alone', { ROWHOUSE_ADMIN_PASSWORD_FILE: import.meta.path }, /go together/],
])('unattended set-up with %s stops the start', (_what, environment, message) => {
  expect(() => readConfig(environment as Record<string, string>)).toThrow(message)
})
