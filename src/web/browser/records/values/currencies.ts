import type { TableView } from '../../../../tables/model'
import { locale } from '../../language'

/** The currencies that the browser knows, by code, name and sign. */
export function currencyChoices(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames(locale(), { type: 'currency' })
  return Intl.supportedValuesOf('currency').map((code) => ({ value: code, label: `${code} – ${names.of(code)} (${currencySign(code)})` }))
}

const currencySign = (currency: string): string =>
  new Intl.NumberFormat(locale(), { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency

/** The currency of most columns of all tables, so that users choose it only once. */
export function usualCurrency(tables: readonly Pick<TableView, 'columns'>[]): string | undefined {
  const used = tables.flatMap(({ columns }) => columns.flatMap(({ options }) => (options.currency ? [String(options.currency)] : [])))
  const [most] = [...Map.groupBy(used, (currency) => currency)].sort(([, one], [, other]) => other.length - one.length)
  return most?.[0]
}
