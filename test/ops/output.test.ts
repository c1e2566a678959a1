import { expect, test } from 'bun:test'
import { Writable } from 'node:stream'
import { createOutput } from '../../src/ops/log/output'

/** A stream that takes nothing until `go`, and then fails if it `isBroken`. */
function heldStream(isBroken = false) {
  const taken: string[] = []
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  const write = (chunk: Buffer, _encoding: string, done: (error?: Error) => void) => {
    taken.push(String(chunk))
    held.then(() => done(isBroken ? Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }) : undefined))
  }
  return { stream: new Writable({ write }), taken, go: () => release() }
}

test('what a stalled reader does not take is bounded, said once, and comes when it reads again', async () => {
  const { stream, taken, go } = heldStream()
  const complaints: string[] = []
  const output = createOutput(stream, (problem) => void complaints.push(problem))
  const line = `${'x'.repeat(1023)}\n`
  for (let index = 0; index < 5000; index++) output.write(line)
  expect(stream.writableLength).toBeLessThan(2 ** 20 + 2 * line.length)
  expect(complaints).toEqual([expect.stringContaining('nobody reads it')])
  const startedAt = performance.now()
  await output.drained(50)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(50)
  expect(stream.writableLength).toBeGreaterThan(0)
  go()
  await output.drained(5000)
  output.write('again\n')
  await output.drained(5000)
  expect(taken.at(-1)).toBe('again\n')
})

test('a stream that fails is said once and nothing more', async () => {
  const { stream, go } = heldStream(true)
  const complaints: string[] = []
  const output = createOutput(stream, (problem) => void complaints.push(problem))
  for (let index = 0; index < 10; index++) output.write('x\n')
  go()
  await output.drained(5000)
  output.write('x\n')
  expect(complaints).toEqual([expect.stringContaining('ENOSPC')])
})
