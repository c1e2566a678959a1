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
  noSuchTable: 'Keine Tabelle heißt so.',
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
  copyByHand: 'Bitte von Hand kopieren',
  loading: 'Wird geladen …',
  tryAgain: 'Noch einmal versuchen',
  failed: 'Das konnte nicht geladen werden',
  unsent: (count) =>
    plural(count, {
      one: 'Der Dienst ist nicht erreichbar. Änderungen an # Datensatz werden gespeichert, sobald er wieder da ist.',
      other: 'Der Dienst ist nicht erreichbar. Änderungen an # Datensätzen werden gespeichert, sobald er wieder da ist.',
    }),
  offline: 'Keine Verbindung. Was Sie sehen, kann veraltet sein; sobald die Verbindung wieder da ist, geht es von selbst weiter.',
  notFound: 'Hier ist nichts',
  notFoundText: 'Die Adresse stimmt nicht, oder was hier war, wurde gelöscht.',
  toHome: 'Zu den Tabellen',
  typeToConfirm: (name) => `Zur Bestätigung „${name}“ eingeben`,
  waitFor: (time) => `Noch ${time} warten`,
}
