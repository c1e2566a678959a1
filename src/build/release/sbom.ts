import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import parseExpression from 'spdx-expression-parse'
import type { Part } from './part'

type Subject = { version: string; target: string; commit: string; committedAt: Date; sha256: string }

const licences = new Contrib.License.Factories.LicenseFactory(parseExpression)

/**
 * The contents of an executable, as CycloneDX 1.6. The same executable always gives the same bytes: the time is that of
 * the commit, and there is no serial number.
 */
export function billOfMaterials({ version, target, commit, committedAt, sha256 }: Subject, parts: Part[]): string {
  const subject = new Models.Component(Enums.ComponentType.Application, 'rowhouse', { version, bomRef: 'rowhouse', description: target })
  subject.hashes.set(Enums.HashAlgorithm['SHA-256'], sha256)
  subject.licenses.add(licences.makeFromString('MIT'))
  subject.properties.add(new Models.Property('rowhouse:target', target))
  subject.properties.add(new Models.Property('rowhouse:commit', commit))
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: subject, timestamp: committedAt }) })
  addParts(bom, subject, parts)
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
}

/** A flat list, with the relations separate: scanners often ignore nested parts. */
function addParts(bom: Models.Bom, whole: Models.Component, parts: Part[]) {
  for (const part of parts) {
    const component = toComponent(part, whole)
    bom.components.add(component)
    whole.dependencies.add(component.bomRef)
    addParts(bom, component, part.parts ?? [])
  }
}

function toComponent({ name, version, licence, purl, cpe, sha512, holder, patch }: Part, whole: Models.Component): Models.Component {
  const [, group, bare = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? []
  const bomRef = purl ?? `${whole.bomRef.value}/${name}`
  const component = new Models.Component(Enums.ComponentType.Library, bare, { group, version, purl, cpe, bomRef, author: holder })
  component.licenses.add(licences.makeFromString(licence))
  if (sha512) component.hashes.set(Enums.HashAlgorithm['SHA-512'], sha512)
  if (patch) component.properties.add(new Models.Property('rowhouse:patch', patch))
  return component
}
