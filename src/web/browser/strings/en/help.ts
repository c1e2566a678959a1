/** The API of a table, and the keyboard. */
export const help = {
  api: 'API',
  apiTitle: (table: string) => `${table} by the API`,
  apiText: 'The current view, ready for a script. A token goes into the environment as ROWHOUSE_TOKEN.',
  curl: 'Terminal (curl)',
  javascript: 'JavaScript',
  python: 'Python',
  makeToken: 'Make a token',
  documentation: 'All routes, to read and to try',
  keyboard: 'Keyboard',
  sections: { everywhere: 'Everywhere', tables: 'Lists and tables' },
  keys: {
    help: 'Show this list',
    next: 'To the next control, or back with Shift',
    skip: 'First on a page: skip to the content',
    close: 'Close a dialog or a menu',
    choose: 'Press a button, follow a link',
    scroll: 'Scroll a table that has the focus',
    menu: 'Move in a menu or a list of choices',
  },
}
