import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Part } from './part'

type Library = {
  name: string
  files: RegExp
  licence: string | ((version: string | undefined) => string)
  /** Finds the version in the file's name or contents. */
  version?: RegExp
  toVersion?: (found: string) => string
  cpe?: string
}

/** libxml2 and libxslt encode 2.9.4 as 20904. */
const fromNumber = (digits: string) => [digits.slice(0, -4), digits.slice(-4, -2), digits.slice(-2)].map(Number).join('.')

const libraries: Library[] = [
  {
    name: 'OpenSSL',
    files: /^lib(crypto|ssl)\./,
    licence: (version) => (version?.startsWith('1.') ? 'OpenSSL' : 'Apache-2.0'),
    version: /OpenSSL (\d+\.\d+\.\d+[a-z]*) /,
    cpe: 'openssl:openssl',
  },
  {
    name: 'ICU',
    files: /^libicu(data|i18n|uc)\./,
    licence: (version) => (Number.parseInt(version ?? '', 10) < 76 ? 'ICU' : 'Unicode-3.0'),
    version: /^libicu\w+\.(?:so\.)?(\d+\.\d+)/,
    cpe: 'unicode:international_components_for_unicode',
  },
  { name: 'libxml2', files: /^libxml2\./, licence: 'MIT', version: /[^ -~](2\d{4})\0/, toVersion: fromNumber, cpe: 'xmlsoft:libxml2' },
  { name: 'libxslt', files: /^libxslt\./, licence: 'MIT', version: /[^ -~](1\d{4})\0/, toVersion: fromNumber, cpe: 'xmlsoft:libxslt' },
  { name: 'XZ Utils (liblzma)', files: /^liblzma\./, licence: 'Public domain', version: /[^ -~](5\.\d+\.\d+)\0/, cpe: 'tukaani:xz' },
  { name: 'zlib', files: /^libz\./, licence: 'Zlib', version: /[ ^](?:inflate|deflate) (\d+\.[\d.]+) Copyright/, cpe: 'zlib:zlib' },
  { name: 'OSSP uuid', files: /^libossp-uuid\./, licence: 'OSSP uuid licence (as MIT)', version: /OSSP uuid (\d+\.\d+\.\d+)/ },
  { name: 'LZ4', files: /^liblz4\./, licence: 'BSD-2-Clause', version: /^liblz4\.(\d+\.\d+\.\d+)/, cpe: 'lz4_project:lz4' },
  { name: 'Zstandard', files: /^libzstd\./, licence: 'BSD-3-Clause', version: /^libzstd\.(\d+\.\d+\.\d+)/, cpe: 'facebook:zstandard' },
  { name: 'MIT Kerberos', files: /^lib(com_err|gssapi_krb5|k5crypto|krb5|krb5support)\./, licence: 'MIT Kerberos licence' },
  { name: 'libedit', files: /^libedit\./, licence: 'BSD-3-Clause' },
  { name: 'GNU libiconv', files: /^libiconv\./, licence: 'LGPL-2.1-or-later' },
  { name: 'GNU gettext (libintl)', files: /^libintl\./, licence: 'LGPL-2.1-or-later' },
  { name: 'libuuid (util-linux)', files: /^libuuid\./, licence: 'BSD-3-Clause' },
]

/** Built with the server, under its licence. */
const isPostgres = /^lib(ecpg|ecpg_compat|pgtypes|pq|pq-oauth|pgcommon|pgfeutils|pgport)[._-]/

/** PostgreSQL and the libraries in its package; an unknown library stops the release. */
export function postgresParts(native: string): Part[] {
  const files = readdirSync(join(native, 'lib'), { withFileTypes: true }).filter((entry) => entry.isFile() && !entry.name.endsWith('.a'))
  const others = files.map(({ name }) => join(native, 'lib', name)).filter((path) => !isPostgres.test(basename(path)))
  const unknown = others.find((path) => !libraries.some((library) => library.files.test(basename(path))))
  if (unknown) throw new Error(`PostgreSQL comes with the library ${basename(unknown)}, and its licence is not known here.`)
  const found = libraries.flatMap((library) => {
    const own = others.filter((path) => library.files.test(basename(path)))
    return own.length > 0 ? [toPart(library, own)] : []
  })
  return [serverPart(native), ...found]
}

function serverPart(native: string): Part {
  const [, version] = /PostgreSQL (\d+\.\d+) on /.exec(readFileSync(join(native, 'bin/postgres'), 'latin1')) ?? []
  if (!version) throw new Error('The packed PostgreSQL does not say its version.')
  return { name: 'PostgreSQL', version, licence: 'PostgreSQL', cpe: cpeOf('postgresql:postgresql', version) }
}

function toPart({ name, licence, cpe, ...library }: Library, paths: string[]): Part {
  const version = versionOf(library, paths)
  if (library.version && !version) throw new Error(`The packed ${name} does not say its version.`)
  return {
    name,
    version,
    licence: typeof licence === 'string' ? licence : licence(version),
    ...(cpe && version ? { cpe: cpeOf(cpe, version) } : {}),
  }
}

function versionOf({ version, toVersion = (text) => text }: Pick<Library, 'version' | 'toVersion'>, paths: string[]): string | undefined {
  if (!version) return undefined
  for (const path of paths) {
    const text = version.source.startsWith('^lib') ? basename(path) : readFileSync(path, 'latin1')
    const [, found] = version.exec(text) ?? []
    if (found) return toVersion(found)
  }
  return undefined
}

const cpeOf = (product: string, version: string) => `cpe:2.3:a:${product}:${version}:*:*:*:*:*:*:*`
