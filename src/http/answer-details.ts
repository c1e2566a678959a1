import type { RequestDetails } from '../ops/events'
import type { Exchange } from './exchange'

/** What can be asked of an exchange when it is answered. */
export class AnswerDetails implements RequestDetails {
  // Private at run time, too: nobody who writes an event down writes the request.
  readonly #exchange: Exchange
  readonly #path: string
  readonly #response: Response

  constructor(exchange: Exchange, path: string, response: Response) {
    this.#exchange = exchange
    this.#path = path
    this.#response = response
  }

  get address(): string {
    return this.#exchange.address
  }

  get route(): string | null {
    return this.#exchange.findRoute?.(this.#exchange.request.method, this.#path) ?? null
  }

  get caller() {
    return this.#exchange.caller ?? null
  }

  get credential() {
    return this.#exchange.credential ?? null
  }

  get refusal() {
    return this.#exchange.refusal ?? null
  }

  async bytes(): Promise<number | null> {
    const response = this.#response
    if (this.#exchange.request.method === 'HEAD') return 0
    const length = response.headers.get('content-length')
    if (length !== null) return Number(length)
    // A plugin's stream would be kept in memory by a copy of it. What the service itself writes as JSON is a text.
    const isText = /json/.test(response.headers.get('content-type') ?? '') && !this.#path.startsWith('/api/v1/custom/')
    return isText ? (await response.clone().arrayBuffer()).byteLength : null
  }
}
