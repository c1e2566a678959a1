import { Html } from '../../html'
import { plainComma } from '../decimal-marks'
import { proofDifficulty } from '../proof'

/**
 * The only script of a form: it computes the proof of work in small pieces, and shows the fields whose conditions hold.
 * It implements SHA-256 itself, since a page without TLS has no `crypto.subtle`, which is also slower for short texts.
 * `first` keeps the state after the first 64 bytes, which a challenge fills: half of the work of each attempt.
 * It reads numbers and durations as `withPoint` does. The server checks all of it again.
 */
export const formScript = new Html(`
(() => {
const form = document.querySelector('form'), button = form.querySelector('button'), proof = form.elements.proof
const bits = (n, p) => { const x = Math.pow(n, 1 / p); return ((x - Math.floor(x)) * 4294967296) | 0 }
const primes = []
for (let n = 2; primes.length < 64; n++) if (primes.every(p => n % p)) primes.push(n)
const K = primes.map(p => bits(p, 3)), H = primes.slice(0, 8).map(p => bits(p, 2)), W = new Int32Array(64)
let first = null
const turn = (x, n) => x >>> n | x << 32 - n
function firstWord(text) {
  const bytes = new Uint8Array(((text.length + 8 >> 6) + 1) * 64), view = new DataView(bytes.buffer), h = (first || H).slice()
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  bytes[text.length] = 128
  view.setUint32(bytes.length - 4, text.length * 8)
  for (let at = first ? 64 : 0; at < bytes.length; at += 64) {
    for (let i = 0; i < 16; i++) W[i] = view.getInt32(at + i * 4)
    for (let i = 16; i < 64; i++) {
      const x = W[i - 15], y = W[i - 2]
      W[i] = W[i - 16] + W[i - 7] + (turn(x, 7) ^ turn(x, 18) ^ x >>> 3) + (turn(y, 17) ^ turn(y, 19) ^ y >>> 10)
    }
    let [a, b, c, d, e, f, g, k] = h
    for (let i = 0; i < 64; i++) {
      const one = k + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + K[i] + W[i] | 0
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c) | 0
      k = g; g = f; f = e; e = d + one | 0; d = c; c = b; b = a; a = one + two | 0
    }
    ;[a, b, c, d, e, f, g, k].forEach((v, i) => { h[i] = h[i] + v | 0 })
    first ||= h.slice()
  }
  return h[0] >>> 0
}
let isWaiting = false, n = 0
const challenge = form.dataset.challenge
function work() {
  for (const end = n + 2000; n < end; n++) if (firstWord(challenge + ':' + n) >>> ${32 - proofDifficulty} === 0) {
    proof.value = challenge + ':' + n
    if (isWaiting) form.submit()
    return
  }
  setTimeout(work)
}
proof.value = ''
work()
form.addEventListener('submit', event => {
  button.disabled = true
  if (proof.value) return
  event.preventDefault()
  isWaiting = true
})
addEventListener('pageshow', event => { if (event.persisted) location.reload() })
const fields = [...form.querySelectorAll('.field')]
const inputsOf = field => [...field.querySelectorAll('input, select, textarea')]
const pointed = (field, mode, text) => {
  if (field.hasAttribute('data-duration')) return seconds(text)
  const swapped = field.hasAttribute('data-comma') ? text.replace(/[.,]/g, mark => mark === ',' ? '.' : ',') : text
  const number = mode === 'decimal' && ${plainComma}.test(swapped) ? swapped.replace(',', '.') : swapped
  return field.hasAttribute('data-percent') ? hundredth(number.replace(/\\s*%$/, '')) : number
}
const seconds = typed => {
  const text = typed.toLowerCase().replace('\u2212', '-'), amount = text.replace(/^[-+]\\s*/, '')
  const [, hours, minutes, rest = '0'] = /^(\\d{1,9}):([0-5]?\\d)(?::([0-5]?\\d))?$/.exec(amount) ?? []
  const parts = [...amount.matchAll(/(\\d{1,12}(?:[.,]\\d{1,3})?)\\s*(h|m|s)[a-z]*\\.?\\s*/g)]
  const isParts = parts.length > 0 && parts.map(([part]) => part).join('') === amount
  const total = Math.round(
    hours !== undefined ? hours * 3600 + minutes * 60 + Number(rest)
    : /^\\d{1,12}$/.test(amount) ? amount * 60
    : isParts ? parts.reduce((sum, [, count, unit]) => sum + count.replace(',', '.') * { h: 3600, m: 60, s: 1 }[unit], 0)
    : NaN)
  return Number.isSafeInteger(total) ? (total && text.startsWith('-') ? '-' : '') + total : typed
}
const hundredth = text => {
  const [, sign, whole, decimals = ''] = /^(-?)(\\d+)(?:\\.(\\d+))?$/.exec(text) ?? []
  if (whole === undefined) return text
  const digits = whole.padStart(3, '0')
  return sign + digits.slice(0, -2) + ('.' + digits.slice(-2) + decimals).replace(/\\.?0+$/, '')
}
const withSeconds = (type, text) => type === 'time' && text.length === 5 ? text + ':00' : type === 'datetime-local' ? text + (text.length === 16 ? ':00Z' : 'Z') : text
const valuesOf = field => !field || field.hidden ? [] : inputsOf(field).flatMap(({ type, checked, value, inputMode }) => {
  const text = /^(select|textarea)/.test(type) ? value : value.trim()
  if (type !== 'checkbox') return text === '' ? [] : [withSeconds(type, pointed(field, inputMode, text))]
  return field.hasAttribute('data-one') ? [String(checked)] : checked ? [value] : []
})
function show() {
  for (const field of fields) {
    if (!field.dataset.conditions) continue
    field.hidden = !JSON.parse(field.dataset.conditions).every(({ column, operator, values, isNegated }) => {
      const given = valuesOf(fields.find(other => other.dataset.name === column))
      const wanted = operator === 'is' ? values.map(value => value.toLowerCase()) : values
      const holds = operator === 'is' && wanted[0] === 'null' ? given.length === 0 : given.some(value => wanted.includes(value))
      return holds !== isNegated
    })
    for (const input of inputsOf(field)) input.disabled = field.hidden
  }
}
form.addEventListener('input', show)
show()
})()
`)
