import { isIPv6 } from 'node:net'

/**
 * Whom an address stands for: IPv4 by the whole of it; IPv6 by /64, which is what one customer has (SEC-20). Mapped
 * IPv4 has been unfolded by `http/peer.ts`.
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
