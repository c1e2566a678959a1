import { connect } from 'node:net'
import { hangMs } from './processes'

export type RawAnswer = { status: number; headers: Headers; body: string }

/**
 * Sends bytes unchanged, for requests that `fetch` would correct or reject. The connection stays open after `text`, so
 * a body that is announced and never sent shows whether the service waits for it.
 */
export function sendRaw(url: string, text: string, limitMs = hangMs): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((done, fail) => {
    let received = ''
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text))
    const timer = setTimeout(() => socket.destroy(new Error(`No whole answer in ${limitMs} ms: ${received.slice(0, 200)}`)), limitMs)
    socket.setEncoding('latin1')
    socket.on('error', fail)
    socket.on('close', () => {
      clearTimeout(timer)
      fail(new Error(`The connection was closed: ${received.slice(0, 200)}`))
    })
    socket.on('data', (chunk: string) => {
      received += chunk
      const answer = readAnswer(received)
      if (!answer) return
      done(answer)
      socket.destroy()
    })
  })
}

/**
 * Sends an endless body until the service closes the connection or `mostBytes` are sent. `sentBytes` includes bytes
 * that the kernels still buffer.
 */
export function flood(url: string, text: string, piece: Uint8Array, mostBytes: number): Promise<RawAnswer & { sentBytes: number }> {
  const { hostname, port } = new URL(url)
  return new Promise((done, fail) => {
    let [received, sentBytes, isOpen] = ['', 0, true]
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(text)
      send()
    })
    const send = () => {
      while (isOpen) {
        if (sentBytes >= mostBytes) return socket.destroy()
        sentBytes += piece.byteLength
        if (!socket.write(piece)) return socket.once('drain', send)
      }
    }
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      received += chunk
    })
    // The service no longer listens, as expected.
    socket.on('error', () => {})
    socket.on('close', () => {
      isOpen = false
      const answer = readAnswer(received)
      if (answer) done({ ...answer, sentBytes })
      else fail(new Error(`Closed without an answer after ${sentBytes} bytes: ${received.slice(0, 200)}`))
    })
  })
}

/** A request's head, followed by a blank line. */
export const head = (method: string, path: string, headers: [string, string][] = []): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n')

/** The chunks that have arrived completely. */
function fromChunks(sent: string): string {
  const lineEnd = sent.indexOf('\r\n')
  const size = Number.parseInt(sent.slice(0, lineEnd), 16)
  if (lineEnd < 0 || !size || sent.length < lineEnd + 2 + size) return ''
  return sent.slice(lineEnd + 2, lineEnd + 2 + size) + fromChunks(sent.slice(lineEnd + 4 + size))
}

/**
 * @returns null until all of it has arrived; responses without Content-Length count as complete with their head and the
 * first chunk
 */
function readAnswer(received: string): RawAnswer | null {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = received.slice(0, end).split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const sent = received.slice(end + 4)
  const isChunked = headers.get('transfer-encoding') === 'chunked'
  const body = isChunked ? fromChunks(sent) : sent
  if (isChunked && body === '' && !sent.startsWith('0\r\n')) return null
  return body.length < Number(headers.get('content-length') ?? 0) ? null : { status: Number(first.split(' ')[1]), headers, body }
}
