import Negotiator from 'negotiator'
import type { MessageLanguage } from '../../messages/message'

const languages: MessageLanguage[] = ['en', 'de']

/** The language of messages by the text of `Accept-Language` (RFC 9110, 12.5.4). English if none fits. */
export const languageAmong = (accepted: string): MessageLanguage =>
  new Negotiator({ headers: { 'accept-language': accepted } }).language(languages) === 'de' ? 'de' : 'en'

/** The language of messages for the caller. */
export function languageOf({ headers }: Request): MessageLanguage {
  const accepted = headers.get('accept-language')
  return accepted === null ? 'en' : languageAmong(accepted)
}

/** The locale in which the caller's browser shows dates: the first that it accepts (BCP 47). */
export function browserLocale(request: Request): string {
  const accepted = request.headers.get('accept-language') ?? ''
  const [first = ''] = new Negotiator({ headers: { 'accept-language': accepted } }).languages()
  try {
    return Intl.getCanonicalLocales(first)[0] ?? languageOf(request)
  } catch {
    return languageOf(request)
  }
}
