type Forms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

/** Selects the plural form for a count. `#` is replaced by the formatted number. */
export function pluralIn(language: string) {
  const rules = new Intl.PluralRules(language)
  return (count: number, forms: Forms): string => (forms[rules.select(count)] ?? forms.other).replace('#', count.toLocaleString(language))
}
