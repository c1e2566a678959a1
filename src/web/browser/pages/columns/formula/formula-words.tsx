import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { ColumnTypeIcon } from '../../../components/column-type-icon'
import { useLanguage, useStrings } from '../../../language'
import { isComputedType } from '../../../records/values/column-kinds'

/** Types without a value that a formula could read. */
const linkLists = ['manyLinks', 'reverseLinks']

/** The columns that a formula may use. */
export const formulaColumns = ({ columns }: TableView, isSql: boolean) =>
  columns.filter(({ type }) => !linkLists.includes(type) && !(isSql && isComputedType(type)))

/** A column's name as written in a formula: in quotes or braces if necessary. */
export function writtenColumn(name: string, isSql: boolean): string {
  if (isSql) return `"${name.replaceAll('"', '""')}"`
  return /^(?!(true|false)$)[\p{L}_][\p{L}\p{N}\p{M}_]*$/iu.test(name) ? name : `{${name.replace(/[\\}]/g, '\\$&')}}`
}

type FormulaWordsProps = { table: TableView; isSql: boolean; insert: (piece: string, back: number) => void }

/** The columns and functions that a formula may use. A click inserts one. */
export function FormulaWords({ table, isSql, insert }: FormulaWordsProps) {
  const { columns: words } = useStrings()
  const [search, setSearch] = useState('')
  const { data: help } = useFunctionHelp()
  const matches = (...texts: string[]) => texts.some((text) => text.toLowerCase().includes(search.trim().toLowerCase()))
  const columns = formulaColumns(table, isSql).filter(({ name }) => matches(name))
  const functions = isSql ? [] : Object.entries(help ?? {}).filter(([name, texts]) => matches(name, ...texts))
  return (
    <details className="formula-words">
      <summary>{isSql ? words.formulaColumns : words.formulaWords}</summary>
      <TextInput
        size="xs"
        aria-label={words.formulaSearch}
        placeholder={words.formulaSearch}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <ul>
        {columns.map(({ id, name, type }) => (
          <Word key={id} insert={() => insert(writtenColumn(name, isSql), 0)}>
            <ColumnTypeIcon type={type} size={16} />
            <span>{name}</span>
          </Word>
        ))}
        {functions.map(([name, [takes, gives]]) => (
          <Word key={name} insert={() => insert(`${name}()`, takes === '' ? 0 : 1)}>
            <code className="mono">{`${name}(${takes})`}</code>
            <span className="soft">{gives}</span>
          </Word>
        ))}
      </ul>
    </details>
  )
}

function Word({ insert, children }: { insert: () => void; children: ReactNode }) {
  return (
    <li>
      <button type="button" onClick={insert}>
        {children}
      </button>
    </li>
  )
}

export function useFunctionHelp() {
  const language = useLanguage()
  return useQuery({
    queryKey: ['formula-functions', language],
    queryFn: async () => {
      const loaded = await (language === 'de'
        ? import('../../../strings/de/formula-functions')
        : import('../../../strings/en/formula-functions'))
      return loaded.functionHelp
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}
