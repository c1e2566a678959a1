import type { Query } from '../db/pool/open'
import { readsNotation, type WrittenForm } from './definitions/conversion/column-conversion'
import type { Column, ColumnPatch, Table } from './model'
import { currencyIn, currencySignIn, decimalMarks, guessNotation, type NotationGuess, readAmount } from './notation'
import { identifier, qualifiedName } from './sql-text'

const sampledTexts = 5000
const longestText = 100

/**
 * The notation of a text column that becomes a column of numbers or dates: from the patch, or else from the texts that
 * only one notation can read. `ambiguous` lists the parts that the texts leave open.
 */
export async function findNotation(
  query: Query,
  table: Table,
  before: Column,
  patch: ColumnPatch,
): Promise<WrittenForm & Pick<NotationGuess, 'ambiguous'>> {
  if (patch.type === undefined || !readsNotation(before.type, patch.type)) return { ambiguous: [] }
  const value = `t.${identifier(before.name)}`
  const rows = await query<{ text: string }>(
    `select distinct left(${value}, ${longestText}) as text from (select * from ${qualifiedName(table)} limit ${4 * sampledTexts}) t
     where ${value} is not null and ${value} <> '' limit ${sampledTexts}`,
    [],
    { prepare: false },
  )
  const texts = rows.map(({ text }) => text)
  const guess = guessNotation([texts])
  // If nearly all texts can be read in two ways, the few others are as likely to be mistakes as evidence.
  const isDoubtful = guess.decimals !== undefined && isMostlyOpen(texts)
  const decimals = patch.notation?.decimals ?? (isDoubtful ? undefined : guess.decimals)
  const dates = patch.notation?.dates ?? guess.dates
  const ambiguous = [...guess.ambiguous, ...(isDoubtful ? (['decimals'] as const) : [])].filter((name) => !patch.notation?.[name])
  const currency = decimals && onlyCurrency(texts, patch)
  return { ...(decimals ? { decimals } : {}), ...(dates ? { dates } : {}), ...(currency ? { currency } : {}), ambiguous }
}

function isMostlyOpen(texts: readonly string[]): boolean {
  let [open, certain] = [0, 0]
  for (const text of texts) {
    const [point, comma] = decimalMarks.map((mark) => readAmount(text, mark))
    if (point != null && comma != null && point !== comma) open++
    else if ((point != null) !== (comma != null)) certain++
  }
  return open > certain
}

/** The only currency sign in the texts, unless the patch asks for another currency. */
function onlyCurrency(texts: readonly string[], { options }: ColumnPatch): string | undefined {
  const signs = new Set(texts.flatMap((text) => currencySignIn(text) ?? []))
  const [sign] = signs
  if (signs.size !== 1 || sign === undefined) return undefined
  const code = currencyIn(sign) ?? (/^[A-Z]{3}$/.test(sign) ? sign : undefined)
  const wanted = options?.currency
  return code === undefined || wanted === undefined || code === wanted ? sign : undefined
}
