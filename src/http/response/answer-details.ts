import type { RequestDetails } from '../../ops/log/events'
import type { Exchange } from './exchange'

/** Details of an exchange that are available once it is answered. */
export class AnswerDetails implements RequestDetails {
  // Also private at run time, so that logging an event never logs the request.
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
    // A copy of a plugin's stream would keep it in memory. JSON of the service itself is a string.
    const isText = /json/.test(response.headers.get('content-type') ?? '') && !this.#path.startsWith('/api/v1/custom/')
    return isText ? (await response.clone().arrayBuffer()).byteLength : null
  }
}
