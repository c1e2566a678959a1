import { type BlockList, isIP, isIPv6 } from 'node:net'
import type { Config } from '../ops/config'

/** Where a request really comes from, and the address that the caller used: `host` as it was sent, `origin` as it is known to browsers. */
export type Peer = { address: string; host: string; origin: string; isHttps: boolean }

/**
 * Forwarded headers count only when the peer is a trusted proxy, and then from the right: the last address
 * that is not a proxy's is the caller (SEC-21, SEC-37).
 */
export function readPeer(headers: Headers, socketAddress: string, config: Pick<Config, 'publicUrl' | 'trustedProxies'>): Peer {
  const direct = unmapped(socketAddress)
  const isTrusted = isProxy(config.trustedProxies, direct)
  const protocol = isTrusted && headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase() === 'https' ? 'https' : 'http'
  const host = (isTrusted && headers.get('x-forwarded-host')?.split(',').at(-1)?.trim()) || headers.get('host') || 'localhost'
  const origin = config.publicUrl ?? `${protocol}://${host}`
  return {
    address: isTrusted ? forwardedFor(headers, direct, config.trustedProxies) : direct,
    host,
    origin,
    isHttps: origin.startsWith('https://'),
  }
}

function forwardedFor(headers: Headers, direct: string, proxies: BlockList | undefined): string {
  const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((hop) => unmapped(hop.trim()))
  const caller = hops.findLast((hop) => !isProxy(proxies, hop))
  return caller && isIP(caller) ? caller : direct
}

function isProxy(proxies: BlockList | undefined, address: string): boolean {
  const version = isIP(address)
  return !!proxies && version !== 0 && proxies.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** `::ffff:192.0.2.1` is 192.0.2.1, in every spelling (SEC-20). */
function unmapped(address: string): string {
  if (!isIPv6(address) || !/ffff/i.test(address)) return address
  const [, high, low] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(URL.parse(`http://[${address}]`)?.hostname ?? '') ?? []
  if (!high || !low) return address
  const [one, two] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [one >> 8, one & 255, two >> 8, two & 255].join('.')
}
