import { useSyncExternalStore } from 'react'
import { en, type Strings } from './strings/en'

/** The languages of the UI, each with its own name. German is loaded on demand. */
export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const key = 'rowhouse-language'
const listeners = new Set<() => void>()
let current: { language: Language; strings: Strings } = { language: 'en', strings: en }

const isLanguage = (value: string | null | undefined): value is Language => value !== null && value !== undefined && value in languages

/** The language selected in this browser, else the first supported one of the browser's languages. */
function preferred(): Language {
  const chosen = readStoredLanguage()
  if (isLanguage(chosen)) return chosen
  return navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage) ?? 'en'
}

// If the browser blocks storage, only the selection is lost.
function readStoredLanguage(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export const startLanguage = () => applyLanguage(preferred())

/** Selects the language for this browser. */
export async function selectLanguage(language: Language) {
  await applyLanguage(language)
  try {
    localStorage.setItem(key, language)
  } catch {
    // See `readStoredLanguage`.
  }
}

async function applyLanguage(language: Language) {
  const strings = language === 'de' ? await import('./strings/de').then(({ de }) => de) : en
  current = { language, strings }
  document.documentElement.lang = language
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The strings of the current language. The component renders again when the language changes. */
export const useStrings = (): Strings => useSyncExternalStore(subscribe, () => current.strings)

/** For the header `Accept-Language`, which selects the language of the service's messages. */
export const currentLanguage = (): Language => current.language

export const useLanguage = (): Language => useSyncExternalStore(subscribe, () => current.language)

/**
 * The locale for dates and numbers: the browser's variant of the current language ("en-GB"), else the language itself.
 */
export const locale = (): string => navigator.languages.find((tag) => tag.split('-')[0] === current.language) ?? current.language
