type Forms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

/** Chooses the form of a word for a count; `#` in it becomes the number, written as in that language. */
export function pluralIn(language: string) {
  const rules = new Intl.PluralRules(language)
  return (count: number, forms: Forms): string => (forms[rules.select(count)] ?? forms.other).replace('#', count.toLocaleString(language))
}
