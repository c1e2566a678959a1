import { expect, test } from 'bun:test'
import { loggablePath } from '../../src/http/request/url'

const secret = 'Abc-_'.repeat(8).concat('xyz')

test.each([
  [`/s/${secret}`, '/s/…'],
  [`/s/${secret}/files/019f1a2b`, '/s/…/files/019f1a2b'],
  [`/s/${secret}.`, '/s/…'],
  ['/s/short?opening=x', '/s/…'],
  [`//s/${secret}`, '//s/…'],
  [`/S/${secret}`, '/S/…'],
  [`/proxy/s/${secret}/x`, '/proxy/s/…/x'],
  [`/%73/${secret}`, '/%73/…'],
  ['/s', '/s'],
  ['/settings/account', '/settings/account'],
  [
    '/api/v1/tables/019f1a2b-0000-7000-8000-000000000000/records/1?token=x',
    '/api/v1/tables/019f1a2b-0000-7000-8000-000000000000/records/1',
  ],
  [`/a${secret}/records`, `/a${secret}/records`],
])('%s stands in a log as %s', (path, shown) => {
  expect(loggablePath(`http://localhost:8090${path}`)).toBe(shown)
})
