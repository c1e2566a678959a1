import type { Strings } from '../en'

export const problems: Strings['problems'] = {
  unreachable: 'Der Dienst ist nicht erreichbar. Prüfen Sie die Verbindung, und versuchen Sie es erneut.',
  internal: (requestId) =>
    `Ein interner Fehler ist aufgetreten. Versuchen Sie es erneut. Bleibt der Fehler bestehen, nennen Sie der Administration die Anfragenummer ${requestId}.`,
  byCode: {
    invalid_credentials: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    setup_code_required: 'Der Einmal-Code ist falsch. Verwenden Sie den Code, den der laufende Dienst ausgegeben hat.',
    setup_done: 'Rowhouse ist bereits eingerichtet. Melden Sie sich an.',
    wrong_password: 'Das aktuelle Passwort ist falsch.',
    too_many_requests: 'Zu viele Versuche. Warten Sie die unten angezeigte Zeit ab, und versuchen Sie es dann erneut.',
    request_in_progress: 'Dieselbe Anfrage läuft noch. Warten Sie, bis sie beendet ist.',
    unavailable: 'Der Dienst ist ausgelastet oder startet gerade. Versuchen Sie es gleich erneut.',
    query_timeout:
      'Die Abfrage hat zu lange gedauert und wurde abgebrochen. Grenzen Sie sie mit Suche oder Filtern ein, oder versuchen Sie es später erneut.',
    payload_too_large: 'Die Anfrage ist größer, als der Dienst erlaubt. Verkleinern Sie sie, und versuchen Sie es erneut.',
    insufficient_storage: 'Der Speicherplatz des Dienstes ist voll. Wenden Sie sich an die Administration.',
    invalid_session: 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
    unauthenticated: 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
  },
}
