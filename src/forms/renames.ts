import { comparisonsIn } from '../records/query/plan/comparisons'
import { findQuery, isTextNaming, renamedText } from '../records/query/plan/renames'
import type { FindComparisons, FollowRename, NamingTexts } from '../tables/catalog/catalog'
import type { FormSettings } from './store'

/** Updates the conditions of forms when a column is renamed. The columns themselves are stored by id. */
const followNameInForms: FollowRename = async ({ query, names, before, after }) => {
  const forms = await query<{ id: string; table_id: string; settings: string }>(
    `select id, table_id, settings::text as settings from rowhouse.forms
      where jsonb_path_exists(settings, '$.fields[*].shownIf') for update`,
  )
  for (const { id, table_id: tableId, settings: text } of forms) {
    const settings = JSON.parse(text) as FormSettings
    if (!settings.fields.some(({ shownIf }) => shownIf !== undefined && isTextNaming(shownIf, names))) continue
    const renaming = { before, after: await after() }
    const fields = settings.fields.map((field) =>
      field.shownIf === undefined ? field : { ...field, shownIf: renamedText(renaming, tableId, field.shownIf) ?? field.shownIf },
    )
    await query('update rowhouse.forms set settings = $2::jsonb, updated_at = now() where id = $1::uuid', [
      id,
      JSON.stringify({ ...settings, fields }),
    ])
  }
}

const findComparisonsInForms: FindComparisons = async (query, tables) => {
  const forms = await query<{ name: string; tableId: string; fields: string }>(
    `select name, table_id::text as "tableId", (settings -> 'fields')::text as fields from rowhouse.forms`,
  )
  return forms.flatMap(({ name, tableId, fields }) => {
    const table = tables.byId.get(tableId)
    if (!table) return []
    return (JSON.parse(fields) as FormSettings['fields']).flatMap(({ column, shownIf, default: value }) => {
      const parsed = shownIf === undefined ? null : findQuery(shownIf)
      const preset = value === undefined ? [] : [{ columnId: column, operator: 'default', values: [value].flat().map(String) }]
      return [...(parsed ? comparisonsIn(tables, table, parsed) : []), ...preset].map((comparison) => ({
        kind: 'form',
        name,
        ...comparison,
      }))
    })
  })
}

export const namesInForms: NamingTexts = { follow: followNameInForms, findComparisons: findComparisonsInForms }
