import { expect, test } from 'bun:test'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { documentXml, docx } from '../support/docx'
import { call, newFolder, run, setupCodeOf, startService } from '../support/executable'
import { endpoints, pluginsWith } from '../support/plugins'
import { childrenOf, isAlive } from '../support/processes'
import { untilReadyz } from '../support/ready'

const broken = {
  'hangs/plugin.ts': 'await new Promise(() => {})',
  'throws/plugin.ts': '\nthrow new Error("no database")',
  'quits/plugin.ts': 'process.exit(3)',
}

test('plugins init writes a plugin that loads, answers, and is type-checked', async () => {
  const cwd = newFolder()
  const made = await run(['plugins', 'init', 'hello-there'], { cwd })
  expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' })
  expect(made.stdout).toContain('plugins/hello-there/plugin.ts')
  expect((await run(['plugins', 'init', 'hello-there'], { cwd })).code).toBe(1)
  expect((await run(['plugins', 'init', '../x'], { cwd })).code).toBe(1)
  // A folder that the service would refuse is named at once.
  chmodSync(cwd, 0o777)
  const refused = await run(['plugins', 'init', 'other'], { cwd })
  expect({ code: refused.code, stderr: refused.stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`chmod -R go-w ${cwd}`) })
  chmodSync(cwd, 0o755)
  const checked = await run(['plugins', 'check'], { cwd })
  expect(checked.stdout).toContain('GET /api/v1/documents/hello-there/record (pdf, html)\tlogin')
  expect({ code: checked.code, stdout: checked.stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('GET /api/v1/custom/hello-there/greeting\tpublic'),
  })
  const tsc = resolve(import.meta.dir, '../../node_modules/.bin/tsc')
  const types = () => Bun.spawnSync([tsc, '--noEmit', '-p', join(cwd, 'plugins')]).stdout.toString()
  expect(types()).toBe('')
  const file = join(cwd, 'plugins/hello-there/plugin.ts')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('public: false,', ''))
  expect(types()).toContain("'public'")
  writeFileSync(file, text)
  await using service = await startService({ cwd })
  expect(await (await call(`${service.url}/api/v1/custom/hello-there/greeting?name=Ada`)).json()).toEqual({ greeting: 'Hello, Ada!' })
  expect((await call(`${service.url}/api/v1/custom/hello-there/me`)).status).toBe(401)
})

test('broken plugins are reported and left out, and the service runs', async () => {
  const good = endpoints(`{ method: 'GET', path: '/env', public: true, allow: () => true,
    handle: ({ settings }) => ({ settings, seen: Object.keys(process.env).filter((name) => /SETUP|ROWHOUSE|DATABASE|S3_/.test(name)) }) }`)
  const cwd = newFolder()
  pluginsWith({ ...broken, 'good/plugin.ts': good }, join(cwd, 'plugins'))
  const environment = {
    SETUP_CODE: 'a-code-that-is-long-enough',
    ROWHOUSE_MOVE_TO: 'postgres://user:secret@db.example.org/name',
    ROWHOUSE_PLUGIN_GOOD__KEY: 'of-the-plugin',
  }
  await using service = await startService({ cwd, environment })
  await untilReadyz(service, { status: 'degraded', checks: { failedPlugins: 3 } })
  const told = service.log.filter(({ msg }) => msg.startsWith('a plugin was left out')).map(({ msg }) => msg)
  expect(told).toEqual([
    'a plugin was left out: hangs/plugin.ts: Loading it took longer than 10 s.',
    'a plugin was left out: quits: Loading it ended the process that tried it.',
    expect.stringMatching(/^a plugin was left out: throws\/plugin\.ts:2:\d+: no database$/),
  ])
  expect(await (await call(`${service.url}/api/v1/custom/good/env`)).json()).toEqual({ settings: { key: 'of-the-plugin' }, seen: [] })
  expect(existsSync(join(service.dataDir, 'setup-code')) ? setupCodeOf(service.dataDir) : '').not.toBe('of-the-plugin')
})

test('with ROWHOUSE_PLUGINS_STRICT the start stops and says why', async () => {
  const cwd = newFolder()
  pluginsWith({ 'throws/plugin.ts': broken['throws/plugin.ts'] }, join(cwd, 'plugins'))
  const environment = { PORT: '0', ROWHOUSE_PLUGINS_STRICT: '1', ROWHOUSE_DATA_DIR: join(cwd, 'data') }
  const { code, stderr } = await run([], { cwd, environment })
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/throws\/plugin\.ts:2:\d+: no database/) })
  expect((await run(['plugins', 'check'], { cwd })).code).toBe(1)
})

test('documents are made by the executable alone', async () => {
  const template = (format: string) => `import { documentTemplate, t } from 'rowhouse/plugin'
export default documentTemplate({ title: 'x', public: true, params: t.Object({ word: t.String() }), allow: () => true, load: ({ params }) => params, formats: ${format} })`
  const cwd = newFolder()
  pluginsWith(
    {
      'docs/one/template.ts': template("{ pdf: 'one.typ', html: 'one.liquid', docx: 'one.docx' }"),
      'docs/one/one.typ': '#let data = json("/data.json")\nΑΒΓ #data.word *bold* _italic_',
      'docs/one/one.liquid': '<p>{{ word }}</p>',
    },
    join(cwd, 'plugins'),
  )
  writeFileSync(join(cwd, 'plugins/docs/one/one.docx'), docx('{word}'))
  await using service = await startService({ cwd })
  const make = (format: string) => call(`${service.url}/api/v1/documents/docs/one?format=${format}&word=%3Cb%3E`, { limitMs: 40_000 })
  const [pdf, html, word] = await Promise.all(['pdf', 'html', 'docx'].map(make))
  expect([pdf!.status, html!.status, word!.status]).toEqual([200, 200, 200])
  const bytes = Buffer.from(await pdf!.arrayBuffer()).toString('latin1')
  expect(bytes.match(/NotoSans-(Regular|Bold|Italic)/g)?.length).toBeGreaterThanOrEqual(3)
  expect(await html!.text()).toBe('<p>&lt;b&gt;</p>')
  expect(documentXml(new Uint8Array(await word!.arrayBuffer()))).toContain('&lt;b&gt;')
  const renderers = childrenOf(service.pid, '__render')
  expect(renderers).not.toEqual([])
  await service.stop()
  expect(renderers.filter(isAlive)).toEqual([])
})
