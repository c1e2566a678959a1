import { findColumnType } from '../../../tables/column-types/descriptors'
import { Icon, type IconName } from './icon'

const icons: Record<string, IconName> = {
  longText: 'lines',
  email: 'mail',
  url: 'globe',
  phone: 'phone',
  decimal: 'decimal',
  currency: 'decimal',
  float: 'decimal',
  percent: 'decimal',
  rating: 'choices',
  duration: 'clock',
  formula: 'formula',
  uuid: 'key',
  lookup: 'search',
  rollup: 'formula',
}

const iconsByCell: Record<string, IconName> = {
  number: 'number',
  boolean: 'checkbox',
  select: 'choice',
  multiSelect: 'choices',
  date: 'calendar',
  dateTime: 'calendar',
  time: 'clock',
  link: 'link',
  manyLinks: 'links',
  json: 'braces',
  files: 'attachment',
  person: 'user',
}

/** The icon of a column type. Decorative only. */
export const ColumnTypeIcon = ({ type, size = 16 }: { type: string; size?: number }) => (
  <Icon name={icons[type] ?? iconsByCell[findColumnType(type)?.cell ?? ''] ?? 'text'} size={size} />
)
