import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import parseExpression, { type Info } from 'spdx-expression-parse'
import type { Part } from './part'

const isLicence = /^(un)?licen[cs]e|^copying|^notice/i

/**
 * The licences of all parts of an executable: the text that a package contains, or else the name, with the texts by
 * name at the end.
 */
export async function licenceTexts(parts: Part[]): Promise<string> {
  const all = parts.flatMap(withParts)
  const named = new Set<string>()
  const entries = all.map((part) => {
    const own = ownTexts(part)
    if (own.length === 0) for (const id of identifiersIn(part.licence)) named.add(id)
    const head = `${part.name}${part.version ? ` ${part.version}` : ''}\n${part.licence}${part.holder ? `, ${part.holder}` : ''}`
    return [head, ...own].join('\n\n')
  })
  const texts = await Promise.all([...named].sort().map(async (id) => `${id}\n\n${await textOf(id)}`))
  return `${[...entries, ...texts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

const withParts = (part: Part): Part[] => [part, ...(part.parts ?? []).flatMap(withParts)]

function ownTexts({ folder, licenceText }: Part): string[] {
  if (licenceText) return [licenceText]
  const names = folder ? readdirSync(folder).filter((name) => isLicence.test(name)) : []
  return names.sort().map((name) => readFileSync(join(folder!, name), 'utf8').trim())
}

/** @returns the SPDX identifiers of an expression; none for a licence that SPDX does not list */
function identifiersIn(licence: string): string[] {
  try {
    return identifiers(parseExpression(licence))
  } catch {
    return []
  }
}

const identifiers = (info: Info): string[] =>
  'license' in info ? [info.license + (info.plus ? '-or-later' : '')] : [...identifiers(info.left), ...identifiers(info.right)]

async function textOf(id: string): Promise<string> {
  const { default: licence } = (await import(`spdx-license-list/licenses/${id}.json`)) as { default: { licenseText: string } }
  return licence.licenseText.trim()
}
