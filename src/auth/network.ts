import { isIPv6 } from 'node:net'

/**
 * The network that counts as one caller: a single IPv4 address; for IPv6 the /64, the block that one customer gets
 * (SEC-20). `http/request/peer.ts` has already converted mapped IPv4.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const left = head ? head.split(':') : []
  const right = tail ? tail.split(':') : []
  const groups = tail === undefined ? left : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
