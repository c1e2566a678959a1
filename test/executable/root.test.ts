import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { json } from '../support/app'
import { call, executable, newFolder, run, type Service, startService } from '../support/executable'
import { makePets, upload } from '../support/pets'
import { endpoints, pluginsWith } from '../support/plugins'
import { expectNoRoot, ordinaryUser, ownersIn, refusal, secretFile, threadsOf } from '../support/privileges'
import { postmasterPid, until } from '../support/processes'
import { untilReadyz } from '../support/ready'
import { isRoot } from '../support/scratch'
import { administrator, usedDataDir } from '../support/used-data'

/** Tells whom it is loaded as, and tries to be root again and to read what is root's. */
const curious = (secret: string) => `
import { readFileSync } from 'node:fs'
const loadedAs = process.getuid()
const tried = (work) => { try { return work() ?? 'done' } catch (error) { return error.code } }
${endpoints(`{ method: 'GET', path: '/', public: true, allow: () => true, handle: () => ({
  loadedAs,
  uid: process.getuid(),
  setuid: tried(() => process.setuid(0)),
  seteuid: tried(() => process.seteuid(0)),
  setgid: tried(() => process.setgid(0)),
  setgroups: tried(() => process.setgroups([0])),
  secret: tried(() => readFileSync('${secret}', 'utf8')),
  environ: tried(() => readFileSync('/proc/self/environ', 'utf8')),
  child: Bun.spawnSync(['id', '-u']).stdout.toString().trim(),
  home: process.env.HOME,
}) }`)}`

function freeLowPort(): number {
  for (let port = 1023; port > 512; port--) {
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => {} } }).stop(true)
      return port
    } catch {}
  }
  throw new Error('No port below 1024 is free.')
}

const asRoot = () => {
  test('no thread of the service and of what it starts is root, at the start and behind its first files and hashes', async () => {
    const { dataDir, token } = await usedDataDir()
    await using service = await startService({ dataDir })
    expectNoRoot(service)
    await makePets({ url: service.url, token })
    expect((await upload({ url: service.url, token }, 'a.txt', 'text')).status).toBe(201)
    const { email, password } = administrator
    expect((await call(`${service.url}/auth/login`, { body: { email, password } })).status).toBe(200)
    expectNoRoot(service)
  })

  test('plugins are tried, loaded and run without root, and nothing that they try brings it back', async () => {
    const secret = secretFile('of root')
    const environment = { ROWHOUSE_PLUGINS_DIR: pluginsWith({ 'curious/plugin.ts': curious(secret) }), HOME: '/root' }
    const { dataDir } = await usedDataDir()
    await using service = await startService({ dataDir, environment })
    expect(await json(call(`${service.url}/api/v1/custom/curious`))).toEqual({
      loadedAs: ordinaryUser.uid,
      uid: ordinaryUser.uid,
      setuid: 'EPERM',
      seteuid: 'EPERM',
      setgid: 'EPERM',
      setgroups: 'EPERM',
      secret: 'EACCES',
      environ: 'EACCES',
      child: String(ordinaryUser.uid),
      home: ordinaryUser.home,
    })
    expectNoRoot(service)
  })

  test('commands run plugins without root, too', async () => {
    const text = `throw new Error('loaded as ' + process.getuid())`
    const environment = { ROWHOUSE_PLUGINS_DIR: pluginsWith({ 'loud/plugin.ts': text }) }
    for (const command of ['check', 'test']) {
      const { code, stdout } = await run(['plugins', command], { environment })
      expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(`loaded as ${ordinaryUser.uid}`) })
    }
  })

  test('plugins that the service’s user may not read are left out, with what to do', async () => {
    const { dataDir } = await usedDataDir()
    for (const closed of ['.', 'one', 'one/lib']) {
      const folder = pluginsWith({ 'one/plugin.ts': endpoints(), 'one/lib/more.ts': '' })
      chmodSync(join(folder, closed), 0o700)
      await using service = await startService({ dataDir, environment: { ROWHOUSE_PLUGINS_DIR: folder } })
      const told = service.log.filter(({ msg }) => msg.startsWith('a plugin was left out')).map(({ msg }) => msg)
      expect(told).toEqual([expect.stringContaining(`chmod -R a+rX ${join(folder, closed)}`)])
    }
  })

  test('plugins below a folder that is closed to the service’s user are left out, with the folder and where to put them', async () => {
    const { dataDir } = await usedDataDir()
    const closed = newFolder()
    const folder = join(closed, 'project/plugins')
    mkdirSync(dirname(folder))
    cpSync(pluginsWith({ 'one/plugin.ts': endpoints() }), folder, { recursive: true })
    chmodSync(closed, 0o700)
    await using service = await startService({ dataDir, environment: { ROWHOUSE_PLUGINS_DIR: folder } })
    const leftOut = service.log.filter(({ msg }) => msg.startsWith('a plugin was left out')).map(({ msg }) => msg)
    expect(leftOut).toEqual([
      `a plugin was left out: ${folder} is inside ${closed}, which is closed to the user with the id ${ordinaryUser.uid}, whom the service runs as. Move the plugins to where it may read, such as /var/lib/rowhouse/plugins (ROWHOUSE_PLUGINS_DIR).`,
    ])
  })

  test('PostgreSQL is started again when it is killed, and the next start works when the service was', async () => {
    const { dataDir } = await usedDataDir()
    const first = await startService({ dataDir })
    const postmaster = postmasterPid(dataDir)
    process.kill(postmaster, 'SIGKILL')
    await until('PostgreSQL is back', () => first.log.some(({ msg }) => msg === 'the database is back'))
    await untilReadyz(first)
    expect(postmasterPid(dataDir)).not.toBe(postmaster)
    expectNoRoot(first)
    first.kill('SIGKILL')
    await first.exited
    await using second = await startService({ dataDir })
    await untilReadyz(second)
    expectNoRoot(second)
  })

  test('a port below 1024 is listened on, and only the port is left of root', async () => {
    const port = freeLowPort()
    const { dataDir } = await usedDataDir()
    await using service = await startService({ dataDir, environment: { PORT: String(port) } })
    expect(service.url).toBe(`http://127.0.0.1:${port}`)
    await untilReadyz(service)
    expectNoRoot(service)
  })

  test('a password file that only root may read is read', async () => {
    const { email, password } = administrator
    const environment = { ROWHOUSE_ADMIN_EMAIL: email, ROWHOUSE_ADMIN_PASSWORD_FILE: secretFile(`${password}\n`) }
    await using service = await startService({ environment })
    expect((await call(`${service.url}/auth/login`, { body: { email, password } })).status).toBe(200)
  })

  test('from a folder that is closed to the service’s user, executable and all, it runs, and starts PostgreSQL and plugins', async () => {
    const cwd = newFolder()
    const file = join(cwd, 'rowhouse')
    copyFileSync(executable(), file)
    chmodSync(cwd, 0o700)
    const { dataDir } = await usedDataDir()
    const plugins = pluginsWith({
      'one/plugin.ts': endpoints(`{ method: 'GET', path: '/', public: true, allow: () => true, handle: () => process.cwd() }`),
    })
    await using service = await startService({ cwd, file, dataDir, environment: { ROWHOUSE_PLUGINS_DIR: plugins } })
    expect(await json(call(`${service.url}/api/v1/custom/one`))).toBe(dataDir)
    process.kill(postmasterPid(dataDir), 'SIGKILL')
    await until('PostgreSQL is back', () => service.log.some(({ msg }) => msg === 'the database is back'))
    await untilReadyz(service)
  })

  test('a data directory of an ordinary user is run as that user', async () => {
    const dataDir = join(newFolder(), 'data')
    mkdirSync(dataDir)
    chownSync(dataDir, 1, 1)
    await using service = await startService({ dataDir })
    await untilReadyz(service)
    expect(ownersIn(dataDir)).toEqual([1])
    expect(threadsOf(service.pid)).toEqual([expect.stringMatching(/^1 1 1 1 \| 1 1 1 1 \|.* none$/)])
  })

  test.each([
    ['root', 'no ordinary user "root"'],
    ['daemon', 'would run as "daemon"'],
  ])('the user %s of the settings is refused', async (name, sentence) => {
    const { dataDir } = await usedDataDir()
    expect(await refusal({ ROWHOUSE_DATA_DIR: dataDir, ROWHOUSE_USER: name })).toContain(sentence)
  })

  test('a user whom other programs share is warned of, unless the settings name them', async () => {
    const warned = (service: Service) => service.log.some(({ level, msg }) => level === 40 && msg.includes('useradd --system rowhouse'))
    const { dataDir } = await usedDataDir()
    const first = await startService({ dataDir })
    await first.stop()
    await using second = await startService({ dataDir, environment: { ROWHOUSE_USER: ordinaryUser.name } })
    expect([warned(first), warned(second)]).toEqual([ordinaryUser.name === 'nobody', false])
  })

  test.each([
    ['may not change users', ['--bounding-set=-setuid,-setgid'], `could not become the user "${ordinaryUser.name}"`],
    ['would keep capabilities', ['--securebits=+no_setuid_fixup'], 'keeps capabilities'],
  ])('where root %s, it is not started', async (_what, options, sentence) => {
    const { dataDir } = await usedDataDir()
    const env = { PORT: '0', ROWHOUSE_DATA_DIR: dataDir, PATH: process.env.PATH ?? '' }
    const { status, stdout, stderr } = spawnSync('setpriv', [...options, executable()], { env, cwd: newFolder(), encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(sentence) })
    expect(stdout).not.toContain('listening on')
  })

  test('commands of root work beside the service, and leave nothing of root’s in its data', async () => {
    const { dataDir, token } = await usedDataDir()
    await using service = await startService({ dataDir })
    await makePets({ url: service.url, token })
    await upload({ url: service.url, token }, 'a.txt', 'text')
    const plugins = pluginsWith({})
    const environment = { ROWHOUSE_DATA_DIR: dataDir, ROWHOUSE_PLUGINS_DIR: plugins, PORT: new URL(service.url).port }
    for (const args of [
      ['users', 'list'],
      ['files', 'check'],
      ['files', 'adopt'],
      ['plugins', 'types'],
      ['plugins', 'init', 'one'],
      ['health'],
    ]) {
      expect(await run(args, { environment })).toMatchObject({ code: 0, stderr: '' })
    }
    expect(ownersIn(dataDir)).toEqual([ordinaryUser.uid])
    expect(readFileSync(join(plugins, 'tables.d.ts'), 'utf8')).toContain('"pets"')
    expect(ownersIn(plugins)).toEqual([0])
  })

  test('types are not written through a link, nor by root where others may put one', async () => {
    const { dataDir } = await usedDataDir()
    const victim = secretFile('of root')
    const environment = (folder: string) => ({ ROWHOUSE_DATA_DIR: dataDir, ROWHOUSE_PLUGINS_DIR: folder })
    for (const owner of [0, ordinaryUser.uid]) {
      const folder = newFolder()
      symlinkSync(victim, join(folder, 'tables.d.ts'))
      chownSync(folder, owner, owner)
      expect((await run(['plugins', 'types'], { environment: environment(folder) })).code).toBe(1)
    }
    expect([readFileSync(victim, 'utf8'), statSync(dirname(victim)).uid]).toEqual(['of root', 0])
  })

  test('a new plugin in a folder of the service’s user is written as that user, not through a link to a file of root', async () => {
    const victim = secretFile('of root')
    const init = async (folder: string) => {
      chownSync(folder, ordinaryUser.uid, ordinaryUser.gid)
      return await run(['plugins', 'init', 'one'], { environment: { ROWHOUSE_PLUGINS_DIR: folder } })
    }
    const [linked, own] = [newFolder(), newFolder()]
    symlinkSync(victim, join(linked, 'rowhouse-plugin.d.ts'))
    expect((await init(linked)).code).toBe(1)
    expect(readFileSync(victim, 'utf8')).toBe('of root')
    expect(await init(own)).toMatchObject({ code: 0, stderr: '' })
    expect(ownersIn(own)).toEqual([ordinaryUser.uid])
  })
}

// Asked of the kernel by way of /proc.
if (isRoot && process.platform === 'linux') describe('started by root', asRoot)
