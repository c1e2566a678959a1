import type { User } from '../../auth/model'
import type { TableView } from '../../tables/model'
import { call } from './api'
import { alertLine, button, el, link } from './dom'
import { tokenSection } from './tokens'

/** @param leave called after signing out */
export async function homeScreen(user: User, leave: () => Promise<void>): Promise<Node> {
  document.title = 'Rowhouse'
  const [{ tables }, tokens] = await Promise.all([call<{ tables: TableView[] }>('GET', '/tables'), tokenSection(exampleUrl)])
  function exampleUrl() {
    const table = tables[0]
    return `${location.origin}${table ? recordsPath(table) : '/api/v1/tables'}`
  }
  return el('div', {}, header(user, leave), el('main', { className: 'page' }, tableSection(tables, user), tokens))
}

function header(user: User, leave: () => Promise<void>): HTMLElement {
  const notice = alertLine()
  const signOut = async () => {
    await call('POST', '/auth/logout')
    await leave()
  }
  return el(
    'header',
    {},
    el('h1', { className: 'brand', textContent: 'Rowhouse' }),
    el('nav', {}, link('/swagger', 'API')),
    el('p', { className: 'who' }, el('strong', { textContent: user.name }), ` ${user.email} · ${user.role}`),
    button('Sign out', 'quiet', signOut, notice),
    notice,
  )
}

const recordsPath = ({ name }: TableView) => `/api/v1/tables/${encodeURIComponent(name).replaceAll("'", '%27')}/records`

function tableSection(tables: TableView[], { role }: User): HTMLElement {
  const empty =
    role === 'admin' ? 'There are no tables yet. Make the first one with ' : 'There are no tables yet. An administrator makes them with '
  return el(
    'section',
    {},
    el('h2', { textContent: 'Tables' }),
    tables.length
      ? el('ul', { className: 'rows' }, ...tables.map(tableRow))
      : el(
          'p',
          { className: 'help' },
          empty,
          el('code', { textContent: 'POST /api/v1/tables' }),
          ', described under ',
          link('/swagger#/tables/postTables', 'API'),
          '.',
        ),
  )
}

const mostColumns = 12

function tableRow(table: TableView): HTMLElement {
  const { name, columns, primaryKey } = table
  const more = columns.length > mostColumns ? `, and ${columns.length - mostColumns} more` : ''
  const shown = columns.slice(0, mostColumns).map((column) => `${column.name} ${column.type}`)
  return el(
    'li',
    {},
    el(
      'div',
      {},
      el('h3', { textContent: name }),
      el('p', { className: 'help', textContent: `Key: ${primaryKey.join(', ')}. Columns: ${shown.join(', ')}${more}.` }),
    ),
    el('a', { href: recordsPath(table), textContent: 'Records as JSON', ariaLabel: `Records of ${name} as JSON` }),
  )
}
