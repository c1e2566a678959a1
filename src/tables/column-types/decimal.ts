import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'

type DecimalOptions = { precision?: number; scale?: number }

export const decimal: ColumnTypeDefinition = {
  description: 'Exact decimal number. precision: digits in all; scale: digits behind the point. Without them any number of digits is kept.',
  options: t.Object(
    { precision: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })), scale: t.Optional(t.Integer({ minimum: 0, maximum: 1000 })) },
    { additionalProperties: false },
  ),
  sqlType: (options) => {
    const { precision, scale } = options as DecimalOptions
    return precision === undefined ? 'numeric' : `numeric(${precision}, ${Math.min(scale ?? 0, precision)})`
  },
  problem: (value, options) => {
    const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value
    const [, whole] = (typeof text === 'string' && /^-?0*(\d*)(?:\.\d*)?(?:e[+-]?\d{1,3})?$/i.exec(text)) || []
    if (whole === undefined || !/\d/.test(String(text))) return 'must be a number'
    const { precision, scale = 0 } = options as DecimalOptions
    const room = precision === undefined ? 1000 : precision - scale
    return !/e/i.test(String(text)) && whole.length > room ? `must have at most ${room} digits before the point` : null
  },
}
