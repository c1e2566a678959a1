import { LanguageVariant, SyntaxKind } from 'typescript/unstable/ast'
import { createScanner } from 'typescript/unstable/ast/scanner'

/** After one of these a slash divides; anywhere else it begins a regular expression. */
const endsValue = new Set<SyntaxKind>([
  SyntaxKind.Identifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.ThisKeyword,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
])

/** The texts of a file's comments on one line each. Lines of `//` that follow one another are one comment. */
export function commentsOf(path: string, text: string): string[] {
  const scanner = createScanner(false, path.endsWith('x') ? LanguageVariant.JSX : LanguageVariant.Standard, text)
  const comments: string[] = []
  // For each open brace, whether it belongs to a template, which continues after the closing brace.
  const braces: boolean[] = []
  let last = SyntaxKind.Unknown
  let lineEnd = -1
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    if (kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) {
      if (!endsValue.has(last)) kind = scanner.reScanSlashToken()
    } else if (kind === SyntaxKind.CloseBraceToken && braces.pop()) kind = scanner.reScanTemplateToken(false)
    if (kind === SyntaxKind.OpenBraceToken) braces.push(false)
    if (kind === SyntaxKind.TemplateHead || kind === SyntaxKind.TemplateMiddle) braces.push(true)
    if (kind === SyntaxKind.SingleLineCommentTrivia) {
      const line = scanner.getTokenText().slice(2).trim()
      if (/^\n[ \t]*$/.test(text.slice(lineEnd, scanner.getTokenStart())) && lineEnd >= 0) comments[comments.length - 1] += ` ${line}`
      else comments.push(line)
      lineEnd = scanner.getTokenEnd()
    } else if (kind === SyntaxKind.MultiLineCommentTrivia) comments.push(textOf(scanner.getTokenText()))
    else if (kind !== SyntaxKind.WhitespaceTrivia && kind !== SyntaxKind.NewLineTrivia) last = kind
  }
  return comments
}

const textOf = (comment: string): string =>
  comment
    .slice(2, -2)
    .replace(/^\s*\*+/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
