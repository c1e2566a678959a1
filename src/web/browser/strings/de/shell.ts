import type { Strings } from '../en'
import { pluralIn } from '../plural'

const plural = pluralIn('de')

export const shell: Strings['shell'] = {
  product: 'Rowhouse',
  skipToContent: 'Zum Inhalt springen',
  openMenu: 'Menü öffnen',
  closeMenu: 'Menü schließen',
  navigation: 'Hauptnavigation',
  tables: 'Tabellen',
  findTable: 'Tabelle suchen',
  noMatchingTables: 'Keine passenden Tabellen.',
  home: 'Alle Tabellen',
  settings: 'Einstellungen',
  api: 'API',
  accountOf: (name, email) => `${name}, ${email}: Kontomenü`,
  myAccount: 'Mein Konto',
  about: 'Über Rowhouse',
  appearance: 'Darstellung',
  light: 'Hell',
  dark: 'Dunkel',
  system: 'Wie das System',
  language: 'Sprache',
  signOut: 'Abmelden',
  cancel: 'Abbrechen',
  close: 'Schließen',
  save: 'Speichern',
  saved: 'Gespeichert.',
  copy: 'Kopieren',
  copyOf: (what) => `Kopieren: ${what}`,
  copied: 'Kopiert',
  copyManually: 'Manuell kopieren',
  loading: 'Wird geladen …',
  tryAgain: 'Erneut versuchen',
  failed: 'Laden fehlgeschlagen',
  unsent: (count) =>
    plural(count, {
      one: 'Der Dienst ist nicht erreichbar. Änderungen an # Datensatz bleiben erhalten und werden gespeichert, sobald er wieder verfügbar ist.',
      other:
        'Der Dienst ist nicht erreichbar. Änderungen an # Datensätzen bleiben erhalten und werden gespeichert, sobald er wieder verfügbar ist.',
    }),
  offline: 'Sie sind offline. Die angezeigten Daten können veraltet sein. Sie werden aktualisiert, sobald die Verbindung wieder besteht.',
  notFound: 'Seite nicht gefunden',
  notFoundText: 'Die URL ist falsch, oder die Seite wurde gelöscht.',
  toHome: 'Zu den Tabellen',
  typeToConfirm: (name) => `Zur Bestätigung „${name}“ eingeben`,
  waitFor: (time) => `Noch ${time} warten`,
}
