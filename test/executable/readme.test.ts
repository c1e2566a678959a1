import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, startService } from '../support/executable'

const readme = readFileSync(join(import.meta.dir, '../../README.md'), 'utf8')

/** The block behind the marker, as a reader would copy it; only the port is another. */
function quickStart(url: string): string {
  const block = /<!-- quick-start[^>]*-->\n```sh\n(.*?)```/s.exec(readme)?.[1]
  if (!block?.includes('BASE=http://127.0.0.1:8090\n'))
    throw new Error('The README has no quick start that begins with BASE=http://127.0.0.1:8090.')
  return block.replace('BASE=http://127.0.0.1:8090', `BASE=${url}`)
}

test('the quick start of the README runs as it is printed', async () => {
  const cwd = newFolder()
  await using service = await startService({ cwd, dataDir: join(cwd, 'data') })
  const shell = Bun.spawn(['sh', '-e'], { cwd, stdin: Buffer.from(quickStart(service.url)), stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()])
  expect(errors).toBe('')
  expect(await shell.exited).toBe(0)
  // setup, sign-in and the table first; then what the script is told.
  expect(output).toStartWith('{"user":{')
  // The cursor is nobody's business but the service's.
  expect(output.replace(/"nextCursor":"[\w-]+"/, '"nextCursor":"…"')).toEndWith(
    [
      '{"id":1,"title":"Emma","pages":474}',
      '[{"id":2,"title":"Persuasion","pages":null},{"id":3,"title":"Lady Susan","pages":null}]',
      '{"id":1,"title":"Emma","pages":474}',
      '{"id":2,"title":"Persuasion","pages":236}',
      '{"records":[{"id":1,"title":"Emma","pages":474},{"id":2,"title":"Persuasion","pages":236}],"nextCursor":"…"}',
    ].join(''),
  )
  expect(output).not.toContain('"code"')
})
