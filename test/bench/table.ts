export type Row = { what: string; figure: string; p50?: string; p99?: string; ratio?: string; bar?: string; isMet?: boolean }

export const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const count = (value: number) => Math.round(value).toLocaleString('en')
export const ms = (value: number) => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`
export const mb = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`
export const percent = (ratio: number) => `${Math.round(ratio * 100)} %`
export const times = (ratio: number) => `${ratio.toFixed(2)}×`

/** For what the executable does not have: it is said, and the rest is measured. */
export const notThere = (what: string, bar?: string): Row => ({ what, figure: 'not there', bar })

/** As Markdown, so that it can go into docs/performance.md as it is. */
export function table(rows: Row[]): string {
  const head = ['Measured', 'Figure', 'p50', 'p99', 'Ratio', 'Bar', 'Met']
  const met = ({ isMet }: Row) => (isMet === undefined ? '' : isMet ? 'yes' : '**no**')
  const cells = rows.map((row) => [row.what, row.figure, row.p50 ?? '', row.p99 ?? '', row.ratio ?? '', row.bar ?? '', met(row)])
  const widths = head.map((name, index) => Math.max(name.length, ...cells.map((line) => line[index]!.length)))
  const line = (texts: string[]) => `| ${texts.map((text, index) => text.padEnd(widths[index]!)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')
}
