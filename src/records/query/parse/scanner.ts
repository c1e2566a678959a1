import { type Message, translatable, verbatim } from '../../../messages/message'
import { type Budget, queryLimits } from './limits'
import { throwParameterProblem } from './problem'

/** Reads a text from left to right and never backtracks beyond the last token. */
export class Scanner {
  at = 0

  constructor(
    readonly text: string,
    /** The name of the text in errors. */
    readonly parameter: string,
    private readonly budget: Budget,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  isBefore(word: string): boolean {
    return this.text.startsWith(word, this.at)
  }

  take(word: string): boolean {
    if (!this.isBefore(word)) return false
    this.at += word.length
    return true
  }

  expect(word: string, expected: Message = verbatim(`"${word}"`)): void {
    if (!this.take(word)) this.fail(expected)
  }

  expectEnd(expected: Message): void {
    if (!this.isAtEnd) this.fail(expected)
  }

  /** @param pattern a sticky regular expression */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found) this.at = pattern.lastIndex
    return found
  }

  skipBlanks(): void {
    while (this.isBefore(' ') || this.isBefore('\t')) this.at++
  }

  /** `word` with spaces around it. */
  takeBetweenBlanks(word: string): boolean {
    const before = this.at
    this.skipBlanks()
    if (this.take(word)) {
      this.skipBlanks()
      return true
    }
    this.at = before
    return false
  }

  rest(): string {
    const rest = this.text.slice(this.at)
    this.at = this.text.length
    return rest
  }

  spend(kind: keyof Budget): void {
    if (--this.budget[kind] < 0)
      throwParameterProblem(
        this.parameter,
        translatable('exceeds the limit of {limit} {kind} per query.', { limit: queryLimits[kind], kind }),
      )
  }

  requireDepth(depth: number): void {
    if (depth > queryLimits.depth)
      throwParameterProblem(this.parameter, translatable('is nested more than {depth} levels deep.', { depth: queryLimits.depth }))
  }

  /** @throws Failure invalid_request with the missing input and its position, counted from 1 */
  fail(expected: Message, hint?: Message): never {
    throwParameterProblem(
      this.parameter,
      translatable('cannot be read at position {position}: expected {expected}.', { position: this.at + 1, expected }),
      hint,
      this.at + 1,
    )
  }
}
