import type { Strings } from '../en'

export const help: Strings['help'] = {
  api: 'API',
  apiTitle: (table) => `${table} über die API`,
  apiText: 'Die aktuelle Ansicht, fertig für ein Skript. Ein Token kommt als ROWHOUSE_TOKEN in die Umgebung.',
  curl: 'Terminal (curl)',
  javascript: 'JavaScript',
  python: 'Python',
  makeToken: 'Token erstellen',
  documentation: 'Alle Routen, zum Lesen und Probieren',
  keyboard: 'Tastatur',
  sections: { everywhere: 'Überall', tables: 'Listen und Tabellen' },
  keys: {
    help: 'Diese Liste zeigen',
    next: 'Zum nächsten Element, mit Umschalt zurück',
    skip: 'Als Erstes auf einer Seite: zum Inhalt springen',
    close: 'Dialog oder Menü schließen',
    choose: 'Knopf drücken, Link folgen',
    scroll: 'Eine Tabelle mit dem Fokus rollen',
    menu: 'In Menüs und Auswahllisten gehen',
  },
}
