import { describe, expect, test } from 'bun:test'
import { ConfigError, readConfig } from '../../src/ops/config'
import { type Setting, settings } from '../../src/ops/settings'

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
    expect(config).toMatchObject({ queryTimeoutMs: 30_000, maxBodyBytes: 2 ** 20, databasePrepare: true, publicDocs: false })
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
    ['ROWHOUSE_POSTGRES_USER', 'a; rm -rf /'],
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
