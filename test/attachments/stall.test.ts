import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { firstCell, startFiles } from '../support/attachments'
import { until } from '../support/processes'

const files = await startFiles({ ROWHOUSE_TRANSFER_IDLE_TIMEOUT: '500ms' })

const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\n${'x'.repeat(100_000)}`
const bodies = { body: 'x'.repeat(100_000), form: `${part('one')}\r\n${part('two')}`, csv: 'name\nRex\n' }
const types = { body: 'application/octet-stream', form: 'multipart/form-data; boundary=b', csv: 'text/csv' }

/** A name of one letter makes Elysia blind for the path, and the request is copied for it. */
test.each([
  ['body', 'localhost'],
  ['body', 'x'],
  ['form', 'localhost'],
  ['form', 'x'],
  ['csv', 'localhost'],
  ['csv', 'x'],
] as const)('a sender of a %s that falls silent is answered and leaves nothing, at the host %s', async (kind, host) => {
  const path = kind === 'csv' ? '/api/v1/tables/pets/import' : `${firstCell}/photos?name=x`
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${files.tokens.editor}`,
    `Content-Type: ${types[kind]}`,
    'Content-Length: 9000000',
  ]
  const socket = connect(Number(new URL(files.url).port), '127.0.0.1')
  let answer = ''
  socket
    .on('error', () => {})
    .on('data', (bytes) => {
      answer += bytes
    })
  socket.write(`${head.join('\r\n')}\r\n\r\n${bodies[kind]}`)
  await until('it is answered', () => answer.includes('\r\n\r\n'))
  expect(answer).toStartWith('HTTP/1.1 400')
  expect(files.stored()).toEqual([])
  socket.destroy()
})
