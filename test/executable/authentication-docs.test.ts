import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, startService } from '../support/executable'

const text = readFileSync(join(import.meta.dir, '../../docs/authentication.md'), 'utf8')

/** The blocks behind the markers, as a reader would copy them one after the other; only the port is another. */
function script(url: string): string {
  const blocks = [...text.matchAll(/<!-- runs: test\/executable\/authentication-docs[^>]*-->\n```sh\n(.*?)```/gs)].map(
    ([, block]) => block!,
  )
  if (!blocks[0]?.startsWith('BASE=http://127.0.0.1:8090\n'))
    throw new Error('The first block has to begin with BASE=http://127.0.0.1:8090.')
  return blocks.join('\n').replace('BASE=http://127.0.0.1:8090', `BASE=${url}`)
}

/** The calls, each with the status that the document promises. */
const promised = (lines: string) => [...lines.matchAll(/^api .*?(?: {2}# (\d{3}))?$/gm)].map(([line, status]) => `${status} ${line}`)

test('the calls of docs/authentication.md answer what stands behind them', async () => {
  const cwd = newFolder()
  await using service = await startService({ cwd })
  const lines = script(service.url)
  const shell = Bun.spawn(['sh', '-e'], { cwd, stdin: Buffer.from(lines), stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()])
  expect({ errors, code: await shell.exited }).toEqual({ errors: '', code: 0 })
  const statuses = output.match(/^\d{3}$/gm) ?? []
  expect(promised(lines).length).toBeGreaterThan(30)
  expect(promised(lines).map((call, index) => `${statuses[index]} ${call.slice(4)}`)).toEqual(promised(lines))
})

test('every block of commands is run, or is about starting the service', () => {
  const all = [...text.matchAll(/```sh\n/g)].length
  const run = [...text.matchAll(/<!-- runs: [^>]*-->\n```sh\n/g)].length
  expect(all - run).toBe(1)
})
