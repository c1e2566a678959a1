import type { ColumnTypeName } from '../../../tables/column-types/descriptors'
import { Icon, type IconName } from './icon'

/** No two types share an icon. */
const icons: Record<ColumnTypeName, IconName> = {
  text: 'text',
  longText: 'lines',
  email: 'mail',
  url: 'globe',
  phone: 'phone',
  integer: 'number',
  bigint: 'bigNumber',
  decimal: 'decimal',
  currency: 'coins',
  percent: 'percent',
  float: 'wave',
  rating: 'star',
  autoNumber: 'counter',
  formula: 'formula',
  boolean: 'checkbox',
  select: 'choice',
  multiSelect: 'choices',
  date: 'calendar',
  time: 'clock',
  dateTime: 'calendarClock',
  duration: 'stopwatch',
  createdAt: 'calendarPlus',
  updatedAt: 'calendarCheck',
  link: 'link',
  manyLinks: 'links',
  reverseLinks: 'linksBack',
  lookup: 'search',
  rollup: 'sum',
  count: 'tally',
  user: 'user',
  createdBy: 'userPlus',
  updatedBy: 'userCheck',
  attachment: 'attachment',
  json: 'braces',
  uuid: 'key',
  other: 'dashes',
}

const iconOf = (type: string): IconName => (Object.hasOwn(icons, type) ? icons[type as ColumnTypeName] : icons.other)

/** The icon of a column type. Decorative only. */
export const ColumnTypeIcon = ({ type, size = 16 }: { type: string; size?: number }) => <Icon name={iconOf(type)} size={size} />
