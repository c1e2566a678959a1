/** What a rule of access compares with in place of a value: who asks, and when (docs/access.md). */
const ruleVariables = ['@me', '@me.email', '@me.groups', '@now'] as const
export type RuleVariable = (typeof ruleVariables)[number]

export const isRuleVariable = (text: string): text is RuleVariable => (ruleVariables as readonly string[]).includes(text)
