/** Variables that an access rule compares with: the requesting user and the time (docs/access.md). */
const ruleVariables = ['@me', '@me.email', '@me.groups', '@now'] as const
export type RuleVariable = (typeof ruleVariables)[number]

export const isRuleVariable = (text: string): text is RuleVariable => (ruleVariables as readonly string[]).includes(text)
