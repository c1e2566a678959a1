import { locale } from '../../language'

/** What stands before the digits behind the point, as the browser's user writes numbers. */
export const decimalMark = (): string =>
  new Intl.NumberFormat(locale()).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
