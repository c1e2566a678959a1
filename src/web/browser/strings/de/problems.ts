import type { Strings } from '../en'

export const problems: Strings['problems'] = {
  unreachable: 'Der Dienst ist nicht erreichbar. Prüfen Sie die Verbindung, und versuchen Sie es noch einmal.',
  internal: (requestId) => `Im Dienst ist etwas schiefgegangen. Bleibt es dabei, nennen Sie der Administration die Nummer ${requestId}.`,
  byCode: {
    invalid_credentials: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    setup_code_required: 'Der Einmal-Code stimmt nicht. Nehmen Sie den, den der laufende Dienst ausgegeben hat.',
    setup_done: 'Rowhouse ist schon eingerichtet. Melden Sie sich an.',
    wrong_password: 'Das bisherige Passwort ist falsch.',
    too_many_requests: 'Zu viele Versuche. Damit niemand Passwörter raten kann, geht es erst weiter, wenn die Zeit unten abgelaufen ist.',
    unavailable: 'Der Dienst ist beschäftigt oder startet gerade. Versuchen Sie es gleich noch einmal.',
    query_timeout: 'Das hat zu lange gedauert und wurde abgebrochen. Fragen Sie weniger ab, oder versuchen Sie es später.',
    forbidden: 'Das dürfen Sie nicht. Fragen Sie die Administration.',
    payload_too_large: 'Das ist größer, als der Dienst es annimmt.',
    insufficient_storage: 'Der Dienst hat keinen Platz mehr. Sagen Sie der Administration Bescheid.',
    invalid_session: 'Ihre Sitzung ist abgelaufen. Melden Sie sich neu an.',
    unauthenticated: 'Ihre Sitzung ist abgelaufen. Melden Sie sich neu an.',
  },
}
