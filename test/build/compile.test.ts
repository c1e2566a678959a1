import { expect, test } from 'bun:test'
import { resolve } from 'node:path'

test('a build without git names no commit', async () => {
  const program = `console.log(await (await import('./src/build/compile')).currentCommit())`
  const child = Bun.spawn([process.execPath, '-e', program], {
    cwd: resolve(import.meta.dir, '../..'),
    env: { PATH: '/nonexistent' },
    stdout: 'pipe',
  })
  expect([await new Response(child.stdout).text(), await child.exited]).toEqual(['unknown\n', 0])
})
