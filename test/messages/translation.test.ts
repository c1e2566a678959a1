import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { languageOf } from '../../src/http/request/language'
import { german } from '../../src/messages/german'
import { translatable, verbatim } from '../../src/messages/message'
import { inLanguage } from '../../src/messages/translation'

const namesIn = (template: string): string[] => [...new Set([...template.matchAll(/\{(\w+)/g)].map(([, name]) => name!))].sort()

describe('the German messages', () => {
  test('name the parameters of the English ones', () => {
    for (const [english, text] of Object.entries(german)) expect([english, namesIn(text)]).toEqual([english, namesIn(english)])
  })

  test('stand in one file each, and are all used', async () => {
    const sources = await Promise.all(
      [...new Glob('src/**/*.ts').scanSync('.')]
        .filter((file) => !/src\/(messages|web\/browser)\//.test(file))
        .map((file) => Bun.file(file).text()),
    )
    const source = sources.join('\n').replaceAll(/\\(['"`])/g, '$1')
    expect(Object.keys(german).filter((english) => !source.includes(english))).toEqual([])
    const parts = await Promise.all(
      [...new Glob('src/messages/german/*.ts').scanSync('.')]
        .filter((file) => !file.endsWith('index.ts'))
        .map((file) => import(`../../${file}`)),
    )
    const keys = parts.flatMap((part) => Object.values<object>(part).flatMap((templates) => Object.keys(templates)))
    expect(keys).toHaveLength(new Set(keys).size)
  })
})

describe('a message', () => {
  test('is written in the language of the reader, with the messages in it', () => {
    const problem = translatable('must be at least {min} and at most {max}', { min: 1, max: 5n })
    const message = translatable('The default {problem}.', { problem })
    expect(String(message)).toBe('The default must be at least 1 and at most 5.')
    expect(inLanguage(message, 'de')).toBe('Der Standardwert muss mindestens 1 und höchstens 5 sein.')
    expect(JSON.stringify({ message })).toBe('{"message":"The default must be at least 1 and at most 5."}')
  })

  test('has one word for one and another for many', () => {
    const limit = (mostFiles: number) => translatable('This cell accepts at most {mostFiles} {mostFiles|file|files}.', { mostFiles })
    expect([1, 2].map((count) => inLanguage(limit(count), 'de'))).toEqual([
      'Diese Zelle nimmt höchstens 1 Datei.',
      'Diese Zelle nimmt höchstens 2 Dateien.',
    ])
    expect([1, 2].map((count) => inLanguage(limit(count), 'en'))).toEqual([
      'This cell accepts at most 1 file.',
      'This cell accepts at most 2 files.',
    ])
  })

  test('does not read its parameters for braces', () => {
    const cell = '{message} {cell|a|b} $& $1'
    expect(inLanguage(translatable('{message}: "{cell}"', { message: verbatim('{text}'), cell }), 'de')).toBe(`{text}: "${cell}"`)
  })

  test('is found in an answer, and nothing else is changed', () => {
    const now = new Date()
    const answer = { rows: [{ key: '1', message: translatable('must be a number'), value: null }], now, raw: JSON.parse('{"a":[1,"x"]}') }
    expect(inLanguage(answer, 'de')).toEqual({
      rows: [{ key: '1', message: 'muss eine Zahl sein', value: null }],
      now,
      raw: { a: [1, 'x'] },
    })
  })
})

test.each([
  [undefined, 'en'],
  ['de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en-US,de;q=0.5', 'en'],
  ['fr, de;q=0.1', 'de'],
  ['fr', 'en'],
  ['*', 'en'],
  ['de;q=0', 'en'],
  [';;,,=', 'en'],
] as const)('Accept-Language %p asks for %s', (accepted, language) => {
  const request = new Request('http://localhost/', accepted === undefined ? {} : { headers: { 'accept-language': accepted } })
  expect(languageOf(request)).toBe(language)
})
