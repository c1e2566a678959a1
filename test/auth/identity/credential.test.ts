import { describe, expect, test } from 'bun:test'
import { type Credential, type Places, readCredential } from '../../../src/auth/identity/credential'

const one = 'A'.repeat(43)
const other = `${'-_'.repeat(21)}z`

const read = (places: Partial<Places>): Credential | null => readCredential({ authorization: null, search: '', cookie: null, ...places })

const bearer = { from: 'bearer', secret: one } as const
const badBearer = { from: 'bearer', secret: '', fault: 'malformed' } as const

describe('the header', () => {
  test.each([
    ['the scheme in any case', `bEaReR ${one}`, bearer],
    ['more than one space', `Bearer   ${one}`, bearer],
    ['a tab', `Bearer\t${one}`, badBearer],
    ['no token', 'Bearer', badBearer],
    ['a space and no token', 'Bearer ', badBearer],
    ['two words', `Bearer ${one} ${one}`, badBearer],
    ['two headers, joined by a comma', `Bearer ${one}, Bearer ${one}`, badBearer],
    ['the word undefined', 'Bearer undefined', badBearer],
    ['one character too few', `Bearer ${one.slice(1)}`, badBearer],
    ['one character too many', `Bearer ${one}A`, badBearer],
    ['padding', `Bearer ${one}=`, badBearer],
    ['quotes', `Bearer "${one}"`, badBearer],
    ['an alphabet that is not base64url', `Bearer ${'+'.repeat(43)}`, badBearer],
    ['letters beyond ASCII', `Bearer ${'é'.repeat(43)}`, badBearer],
    ['a line break behind the token', `Bearer ${one}\n`, badBearer],
    ['a colon instead of a space', `Bearer:${one}`, badBearer],
    ['another scheme', 'Basic YTpi', null],
    ['a scheme that only begins like ours', `Bearerish ${one}`, null],
    ['a scheme that only begins like ours, with a hyphen', `Bearer-Token ${one}`, null],
    ['the scheme Token', `Token ${one}`, null],
    ['nothing', '', null],
    ['no header', null, null],
  ])('with %s', (_what, authorization, expected) => {
    expect(read({ authorization })).toEqual(expected)
  })
})

describe('the query', () => {
  const repeated = { from: 'query', secret: '', fault: 'repeated' } as const
  const malformed = { from: 'query', secret: '', fault: 'malformed' } as const
  test.each([
    ['a token', `?token=${one}`, { from: 'query', secret: one }],
    ['a token behind another parameter', `?limit=5&token=${one}`, { from: 'query', secret: one }],
    ['a name that is percent-encoded', `?to%6ben=${one}`, { from: 'query', secret: one }],
    ['a value that is percent-encoded', `?token=%41${one.slice(1)}`, { from: 'query', secret: one }],
    ['a value that is encoded twice', `?token=%2541${one.slice(1)}`, malformed],
    ['a space around the value', `?token=%20${one}`, malformed],
    ['a plus sign, which is a space', `?token=${one}+`, malformed],
    ['an empty value', '?token=', null],
    ['a name and no value', '?token', null],
    ['two empty values', '?token=&token=', null],
    ['the same token twice', `?token=${one}&token=${one}`, repeated],
    ['two tokens', `?token=${one}&token=${other}`, repeated],
    ['an empty and a full value', `?token=&token=${one}`, repeated],
    ['two spellings of the name', `?token=${one}&%74oken=${one}`, repeated],
    ['the name in capitals, which is another name', `?Token=${one}`, null],
    ['an array in PHP’s spelling, which is another name', `?token[]=${one}`, null],
    ['nothing', '?', null],
  ] as const)('with %s', (_what, search, expected) => {
    expect(read({ search })).toEqual(expected)
  })
})

describe('the cookie', () => {
  const malformed = { from: 'cookie', secret: '', fault: 'malformed' } as const
  const repeated = { from: 'cookie', secret: '', fault: 'repeated' } as const
  test.each([
    ['a session', `service_session=${one}`, { from: 'cookie', secret: one }],
    ['a session between others', `a=b; service_session=${one};c=d`, { from: 'cookie', secret: one }],
    ['the same session twice', `service_session=${one}; service_session=${one}`, { from: 'cookie', secret: one }],
    ['two sessions', `service_session=${one}; service_session=${other}`, repeated],
    ['a session and an empty one', `service_session=; service_session=${one}`, repeated],
    ['an empty value', 'service_session=', malformed],
    ['a name and no value', 'service_session', malformed],
    ['a quoted value', `service_session="${one}"`, malformed],
    ['an encoded value', `service_session=%41${one.slice(1)}`, malformed],
    ['an object', 'service_session={"a":1}', malformed],
    ['broken percent-encoding', 'service_session=%E0%A4%A', malformed],
    ['8 KB', `service_session=${'A'.repeat(8192)}`, malformed],
    ['a name that only begins like ours', `service_session2=${one}`, null],
    ['the name in capitals, which is another name', `Service_Session=${one}`, null],
    ['no cookie of ours', '__proto__=1; a=b', null],
  ] as const)('with %s', (_what, cookie, expected) => {
    expect(read({ cookie })).toEqual(expected)
  })
})

describe('of several places', () => {
  const search = `?token=${other}`
  const cookie = `service_session=${other}`
  test.each([
    ['the header goes before the query and the cookie', { authorization: `Bearer ${one}`, search, cookie }, 'bearer'],
    ['a malformed header still goes before them', { authorization: 'Bearer', search, cookie }, 'bearer'],
    ['the query goes before the cookie', { search, cookie }, 'query'],
    ['a repeated query still goes before the cookie', { search: `${search}&token=x`, cookie }, 'query'],
    ['an empty query parameter leaves the word to the cookie', { search: '?token=', cookie }, 'cookie'],
    ['another scheme leaves the word to the query', { authorization: 'Basic YTpi', search, cookie }, 'query'],
    ['another scheme leaves the word to the cookie', { authorization: 'Basic YTpi', cookie }, 'cookie'],
  ] as const)('%s', (_what, places, from) => {
    expect(read(places)?.from).toBe(from)
  })
})
