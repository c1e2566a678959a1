/** Our own icons, drawn with one stroke on a 20 by 20 grid. */
const shapes = {
  table: 'M3.5 4.5h13v11h-13zM3.5 8.2h13M8 8.2v7.3',
  plus: 'M10 4.5v11M4.5 10h11',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  search: 'M9 14.2a5.2 5.2 0 1 0 0-10.4 5.2 5.2 0 0 0 0 10.4zM13 13l3.8 3.8',
  menu: 'M3.5 5.5h13M3.5 10h13M3.5 14.5h13',
  chevron: 'M6 8l4 4 4-4',
  check: 'M4.5 10.5l3.6 3.6 7.4-8',
  dot: 'M10 10h.01',
  copy: 'M7.5 7.5h8v8h-8zM4.5 12.5v-8h8',
  user: 'M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 16.5c.8-2.8 3.1-4 6-4s5.2 1.2 6 4',
  info: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 9.2v4M10 6.6h.01',
  code: 'M7 6l-4 4 4 4M13 6l4 4-4 4',
  leave: 'M8 4.5H4.5v11H8M8.5 10h8M13.5 7l3 3-3 3',
  file: 'M5.5 3.5h6l3.5 3.5v9.5h-9.5zM11.5 3.5V7H15',
  spark: 'M10 3.5l1.7 4.8 4.8 1.7-4.8 1.7L10 16.5l-1.7-4.8L3.5 10l4.8-1.7z',
  warning: 'M10 3.8l7 12.4H3zM10 8.5v3.5M10 14h.01',
  pencil: 'M4.5 15.5l.700-3.2 7.8-7.8 2.5 2.5-7.8 7.8z',
  trash: 'M4.5 6h11M8 6V4.5h4V6M6 6l.700 10h6.6L14 6',
  pin: 'M7.5 3.5h5M8.500 3.5v5L6 11.500h8L11.500 8.500v-5M10 11.500v5',
  filter: 'M3.5 5h13l-5 6v4.500l-3 1.500v-6z',
  columns: 'M3.5 4.5h13v11h-13zM8 4.5v11M12.200 4.5v11',
  undo: 'M7.500 5L4 8.500 7.500 12M4.500 8.500h7a4 4 0 0 1 0 8H9',
  redo: 'M12.500 5L16 8.500 12.500 12M15.500 8.500h-7a4 4 0 0 0 0 8H11',
  expand: 'M11.500 3.500h5v5M16.500 3.500l-6 6M8.500 16.500h-5v-5M3.500 16.500l6-6',
  up: 'M6 12l4-4 4 4',
  left: 'M12 6l-4 4 4 4',
  right: 'M8 6l4 4-4 4',
  download: 'M10 4v8M6.5 9l3.5 3.5L13.5 9M4.5 15.5h11',
  key: 'M7 13.5a3.5 3.5 0 1 1 3.3-4.7H17v2.7h-2v1.8h-2.3v-1.8h-2.4A3.5 3.5 0 0 1 7 13.5zM6.5 10h.01',
} as const

export type IconName = keyof typeof shapes

/** Decorative only: text beside it, or the label of its button, has the meaning. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    className="icon"
    width={size}
    height={size}
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    strokeWidth={name === 'more' || name === 'dot' ? 2.4 : 1.5}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    <path d={shapes[name]} />
  </svg>
)

/** The logo. */
export const Mark = ({ size = 26 }: { size?: number }) => (
  <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="7" className="mark-ground" />
    <path d="M6 15l5-5 5 5 5-5 5 5v9H6z" fill="#fff" />
    <path d="M9.5 18h3v6h-3zM19.5 18h3v6h-3z" className="mark-ground" />
  </svg>
)
