import { describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadPlugins, pluginProblems, wholePlugins } from '../../../src/plugins/load/loaded'
import { newFolder } from '../../support/executable'
import { endpoints, pluginsWith } from '../../support/plugins'
import { isRoot } from '../../support/scratch'

const alone = endpoints(`{ method: 'GET', path: '/', public: true, allow: () => true, handle: () => 1 }`)
const text = `import '../_shared/rates'\nimport 'dep'\n${alone}`
const files = {
  'one/plugin.ts': text,
  'one/lib/more.ts': '',
  'one/settings.toml': '',
  'two/plugin.ts': text,
  '_shared/rates.ts': '',
  'node_modules/dep/index.js': '',
}
const made = () => pluginsWith(files, join(newFolder(), 'plugins'))

/** Links that lead to what somebody may change. */
function behindLink(folder: string, name: string): string {
  const elsewhere = join(newFolder(), 'elsewhere')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, 'plugin.ts'), alone)
  symlinkSync(elsewhere, join(folder, name))
  return elsewhere
}

const load = async (folder: string) => {
  const loaded = await loadPlugins(folder, {})
  return { whole: wholePlugins(loaded).map(({ name }) => name), problems: pluginProblems(loaded).map(({ message }) => message) }
}

test('plugins that nobody else may change are loaded, also by links', async () => {
  const folder = made()
  behindLink(folder, 'three')
  symlinkSync('nowhere', join(folder, 'one/dangling'))
  symlinkSync('.', join(folder, 'one/loop'))
  expect(await load(folder)).toEqual({ whole: ['one', 'three', 'two'], problems: [] })
})

test('plugins below a sticky folder such as /tmp are not run: whoever writes to it may put what they import beside them', async () => {
  const folder = made()
  chmodSync(dirname(folder), 0o1777)
  const { whole, problems } = await load(folder)
  expect({ whole, problems }).toEqual({ whole: [], problems: [expect.stringContaining(`node_modules folder into ${dirname(folder)}`)] })
})

describe.each([
  ['that all may change', (path: string) => chmodSync(path, 0o777), 'may be changed by others than its owner'],
  ['that a group may change', (path: string) => giveToGroup(path), 'may be changed by others than its owner'],
  ...(isRoot
    ? ([
        ['that belongs to somebody else', (path: string) => chownSync(path, 65534, 65534), 'belongs to the user with the id 65534'],
      ] as const)
    : []),
])('something %s is not run', (_how, give, sentence) => {
  test.each(['', '../', '_shared', '_shared/rates.ts', 'node_modules', 'node_modules/dep/index.js'])(
    'in all plugins: plugins/%s',
    async (path) => {
      const folder = made()
      give(join(folder, path))
      const { whole, problems } = await load(folder)
      expect({ whole, problems }).toEqual({ whole: [], problems: [expect.stringContaining(sentence)] })
      expect(problems[0]).toContain(join(folder, path).replace(/\/$/, ''))
    },
  )

  test.each(['node_modules', 'node_modules/lefty/index.js', 'package.json'])('in a folder above the plugins: %s', async (path) => {
    const folder = made()
    const above = dirname(folder)
    pluginsWith({ 'node_modules/lefty/index.js': '', 'package.json': '{}', 'plugins/four/plugin.ts': `import 'lefty'\n${alone}` }, above)
    expect((await load(folder)).problems).toEqual([])
    give(join(above, path))
    const { whole, problems } = await load(folder)
    expect({ whole, problems }).toEqual({ whole: [], problems: [expect.stringContaining(sentence)] })
    expect(problems[0]).toContain(join(above, path))
  })

  test.each(['one', 'one/plugin.ts', 'one/lib', 'one/lib/more.ts', 'one/settings.toml'])('in one plugin: %s', async (path) => {
    const folder = made()
    give(join(folder, path))
    const { whole, problems } = await load(folder)
    expect({ whole, problems }).toEqual({ whole: ['two'], problems: [expect.stringContaining(sentence)] })
    expect(problems[0]).toContain(join(folder, path))
  })

  test('behind a link', async () => {
    const folder = made()
    const elsewhere = behindLink(folder, 'three')
    give(dirname(elsewhere))
    const { whole, problems } = await load(folder)
    expect({ whole, problems }).toEqual({ whole: ['one', 'two'], problems: [expect.stringContaining(sentence)] })
  })
})

function giveToGroup(path: string) {
  if (isRoot) chownSync(path, 0, 1)
  chmodSync(path, 0o775)
}
