import { describe, expect, test } from 'bun:test'
import { readUri } from '../../src/ops/settings/connection-uri'

describe('a connection URI', () => {
  test.each([
    [
      'the usual',
      'postgres://u:p@db.example.org:5433/name',
      { hosts: ['db.example.org'], ports: [5433], user: 'u', password: 'p', database: 'name' },
    ],
    ['without a port', 'postgresql://u@db/name', { hosts: ['db'], ports: [5432], user: 'u', database: 'name' }],
    ['with escapes', 'postgres://a%40b:p%3A%2F%25@db/na%20me', { user: 'a@b', password: 'p:/%', database: 'na me' }],
    ['with a colon in the password', 'postgres://u:a:b@db/name', { user: 'u', password: 'a:b' }],
    ['with IPv6', 'postgres://u@[2001:db8::1]:5433/name', { hosts: ['2001:db8::1'], ports: [5433] }],
    ['with a socket as the host', 'postgres://u@%2Frun%2Fpostgresql/name', { hosts: ['/run/postgresql'], ports: [5432] }],
    ['with a socket in the query', 'postgres://u@/name?host=/run/postgresql', { hosts: ['/run/postgresql'], database: 'name' }],
    [
      'with several hosts',
      'postgres://u@a:1,b:2/name?target_session_attrs=read-write',
      { hosts: ['a', 'b'], ports: [1, 2], targetSessionAttrs: 'read-write' },
    ],
    ['with TLS', 'postgres://u@db/name?sslmode=verify-full', { sslmode: 'verify-full' }],
    ['with nothing said of TLS', 'postgres://u@db/name', { sslmode: 'prefer' }],
    ['with a parameter of the server', 'postgres://u@db/name?options=-c%20x%3Dy', { parameters: { options: '-c x=y' } }],
    [
      'with what only libpq understands, as providers print it',
      'postgres://u@db/name?sslmode=require&channel_binding=require&connect_timeout=10&gssencmode=disable&application_name=x',
      { sslmode: 'require', parameters: { application_name: 'x' } },
    ],
    ['with nothing but the scheme', 'postgres://', { hosts: ['localhost'], ports: [5432] }],
  ])('%s', (_what, uri, expected) => {
    expect(readUri(uri)).toMatchObject(expected)
  })

  test.each([
    ['another scheme', 'mysql://u:zebra7@db/name'],
    ['no scheme', 'u:zebra7@db/name'],
    ['a port that is none', 'postgres://u:zebra7@db:99999/name'],
    ['a port of letters', 'postgres://u:zebra7@db:abc/name'],
    ['an sslmode that is none', 'postgres://u:zebra7@db/name?sslmode=zebra7'],
    ['a certificate that is not there', 'postgres://u:zebra7@db/name?sslrootcert=/zebra7'],
    ['a client certificate', 'postgres://u:zebra7@db/name?sslcert=/zebra7'],
    ['a broken escape', 'postgres://u:zebra7%@db/name'],
    ['an IPv6 address without brackets', 'postgres://u:zebra7@2001:db8::1/name'],
  ])('%s is refused, and the sentence does not show it', (_what, uri) => {
    expect(() => readUri(uri)).toThrow(/^(must be|names|has|holds) /)
    expect(() => readUri(uri)).not.toThrow(/zebra7/)
  })
})
