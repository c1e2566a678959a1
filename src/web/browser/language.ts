import { useSyncExternalStore } from 'react'
import { en, type Strings } from './strings/en'

/** The languages of the UI, each under its own name. German is fetched when it is asked for. */
export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const key = 'rowhouse-language'
const listeners = new Set<() => void>()
let current: { language: Language; strings: Strings } = { language: 'en', strings: en }

const isKnown = (value: string | null | undefined): value is Language => value !== null && value !== undefined && value in languages

/** The one that was chosen here, else the first of the browser's that there is. */
function preferred(): Language {
  const chosen = readChoice()
  if (isKnown(chosen)) return chosen
  return navigator.languages.map((tag) => tag.split('-')[0]).find(isKnown) ?? 'en'
}

// A browser that blocks storage loses the choice, and nothing else.
function readChoice(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export const startLanguage = () => use(preferred())

/** Chooses a language for this browser, at once. */
export async function chooseLanguage(language: Language) {
  await use(language)
  try {
    localStorage.setItem(key, language)
  } catch {
    // As above.
  }
}

async function use(language: Language) {
  const strings = language === 'de' ? await import('./strings/de').then(({ de }) => de) : en
  current = { language, strings }
  document.documentElement.lang = language
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Every word of the UI, in the language of now; the component is drawn again when it changes. */
export const useStrings = (): Strings => useSyncExternalStore(subscribe, () => current.strings)

export const useLanguage = (): Language => useSyncExternalStore(subscribe, () => current.language)

/** For dates and numbers: as the browser's user writes them in this language ("en-GB"), else as the language does. */
export const locale = (): string => navigator.languages.find((tag) => tag.split('-')[0] === current.language) ?? current.language
