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
  rowHeight: 'M9.500 5h7M9.500 10h7M9.500 15h7M5 4.500v11M3 6.500l2-2 2 2M3 13.500l2 2 2-2',
  settings: 'M4 6.5h6.500M14.500 6.500H16M4 13.500h1.500M9.500 13.500H16M12.500 4.500v4M7.500 11.500v4',
  refresh: 'M15.500 7A6 6 0 1 0 16 11.500M15.800 3.500V7.200h-3.700',
  expand: 'M11.500 3.500h5v5M16.500 3.500l-6 6M8.500 16.500h-5v-5M3.500 16.500l6-6',
  up: 'M6 12l4-4 4 4',
  left: 'M12 6l-4 4 4 4',
  right: 'M8 6l4 4-4 4',
  upload: 'M10 12.5v-8M6.5 8L10 4.5 13.5 8M4.5 15.5h11',
  download: 'M10 4v8M6.5 9l3.5 3.5L13.5 9M4.5 15.5h11',
  text: 'M5 7V5.2h10V7M10 5.2v9.6M8.2 14.8h3.6',
  lines: 'M4 5.5h12M4 8.5h12M4 11.5h12M4 14.5h7',
  mail: 'M3.5 5.500h13v9h-13zM3.800 6l6.200 5 6.200-5',
  globe:
    'M10 16.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM3.5 10h13M10 3.5c2 2 2.700 4 2.700 6.5s-.700 4.500-2.700 6.5c-2-2-2.700-4-2.700-6.5s.700-4.500 2.700-6.5z',
  phone: 'M4.500 3.500h3l1.500 4-1.800 1.300a9 9 0 0 0 4 4l1.300-1.800 4 1.500v3c-6.500 1-13-5.500-12-12z',
  number: 'M8 4L6.5 16M13.500 4L12 16M4.500 8h12M3.500 12h12',
  decimal:
    'M4 7l2-1.500v9M9 14.500h.01M14 14.500c-1.600 0-2.300-1.800-2.300-4.500s.700-4.500 2.300-4.500 2.300 1.800 2.300 4.500-.700 4.500-2.300 4.500z',
  checkbox: 'M4 4h12v12H4zM7 10l2.200 2.200L13.200 8',
  choice: 'M10 16.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM7.500 9l2.500 2.500L12.500 9',
  choices: 'M4 5.500h.01M4 10h.01M4 14.500h.01M7.500 5.500h9M7.500 10h9M7.500 14.500h9',
  calendar: 'M4 5h12v11H4zM4 8.500h12M7.500 3.500v3M12.500 3.500v3',
  clock: 'M10 16.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM10 6.500V10l2.500 1.500',
  attachment:
    'M14.500 9.500l-4.700 4.700a3 3 0 0 1-4.200-4.200l5.800-5.800a2 2 0 0 1 2.800 2.800l-5.600 5.600a.900.900 0 0 1-1.300-1.300l4.700-4.700',
  link: 'M4 10h11.500M11.500 6l4 4-4 4',
  links: 'M4 7h11.500M12.500 4.200L15.500 7l-3 2.800M4 13.500h11.500M12.500 10.700l3 2.800-3 2.800',
  formula: 'M13.500 4.600c-2-.700-3.100.200-3.400 2.200l-1.100 6.600c-.3 1.900-1.400 2.700-3.200 2.100M6.800 9h6',
  braces:
    'M8 4c-2 0-2.500.8-2.500 2.500S5.500 9.500 4 10c1.500.5 1.500 1.800 1.500 3.500S6 16 8 16M12 4c2 0 2.500.8 2.500 2.500s0 3 1.500 3.500c-1.500.5-1.500 1.800-1.500 3.500S14 16 12 16',
  eyeOff:
    'M3.500 10c1.600-2.800 3.800-4.200 6.500-4.200s4.900 1.400 6.500 4.200c-1.600 2.800-3.800 4.200-6.500 4.200S5.100 12.800 3.500 10zM4.500 15.500l11-11',
  width: 'M3.500 4.500v11M16.500 4.500v11M6 10h8M8 8l-2 2 2 2M12 8l2 2-2 2',
  insertLeft: 'M8.500 4.500h8v11h-8zM5 7.500v5M2.500 10h5',
  insertRight: 'M3.500 4.500h8v11h-8zM15 7.500v5M12.500 10h5',
  sortUp: 'M6.500 15.500v-11M3.500 7.500l3-3 3 3M11.500 6h2M11.500 10h3.500M11.500 14h5',
  sortDown: 'M6.500 4.500v11M3.500 12.500l3 3 3-3M11.500 6h5M11.500 10h3.500M11.500 14h2',
  close: 'M5.500 5.500l9 9M14.500 5.500l-9 9',
  minus: 'M4.500 10h11',
  grip: 'M8 5.500h.01M12 5.500h.01M8 10h.01M12 10h.01M8 14.500h.01M12 14.500h.01',
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
    strokeWidth={name === 'more' || name === 'dot' || name === 'grip' ? 2.4 : 1.5}
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
