import type { Server } from 'bun'
import { RequestScope } from '../../db/pool/scope'
import type { RequestCredential, RequestRefusal } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { type Peer, readPeer } from '../request/peer'
import type { CallerIds, CorsGrant, RequestInfo } from '../request/request-info'
import type { FindRoute } from '../request/route-finder'

/** A request from its arrival to its response. */
export class Exchange implements RequestInfo {
  readonly startedAt = performance.now()
  readonly id: string
  readonly scope = new RequestScope()
  headLength?: number
  outlastsClient = false
  caller?: CallerIds | undefined
  credential?: RequestCredential | undefined
  refusal?: RequestRefusal | undefined
  cors?: CorsGrant
  findRoute?: FindRoute
  /** When it times out, by `performance.now()`. */
  endsAt: number
  readonly #peer: Peer

  constructor(
    readonly request: Request,
    private readonly server: Server<undefined>,
    config: Config,
    limitMs: number,
    private readonly slackMs: number,
  ) {
    this.id = requestIdOf(request)
    this.endsAt = this.startedAt + limitMs
    this.#peer = readPeer(request.headers, () => server.requestIP(request)?.address ?? '', config)
  }

  get address(): string {
    return this.#peer.address
  }

  get host(): string {
    return this.#peer.host
  }

  get origin(): string {
    return this.#peer.origin
  }

  get isHttps(): boolean {
    return this.#peer.isHttps
  }

  get strangeProxy(): string | null {
    return this.#peer.strangeProxy
  }

  takeTime(limitMs: number): void {
    this.endsAt = performance.now() + limitMs
    this.server.timeout(this.request, 0)
  }

  takeTimeFor(ownLimitMs: number): void {
    this.outlastsClient = true
    const endsAt = performance.now() + ownLimitMs + this.slackMs
    if (endsAt <= this.endsAt) return
    this.endsAt = endsAt
    this.closeWhenIdle(ownLimitMs + 2 * this.slackMs)
  }

  closeWhenIdle(idleMs: number): void {
    this.server.timeout(this.request, Math.min(255, Math.ceil(idleMs / 1000)))
  }
}

const saneId = /^[A-Za-z0-9._:-]{1,100}$/

function requestIdOf({ headers }: Request): string {
  const sent = headers.get('x-request-id')
  return sent && saneId.test(sent) ? sent : Bun.randomUUIDv7()
}
