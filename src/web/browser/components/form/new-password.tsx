import { useState } from 'react'
import { useStrings } from '../../language'
import { Icon } from '../icon'
import { PasswordField } from './fields'
import { type Owner, passwordRules, passwordStrength } from './password-strength'

/**
 * A field for a new password, with its rules and strength.
 * @param owner the account, whose name and e-mail address make weak passwords
 */
export function NewPasswordField({ name, label, owner }: { name: string; label: string; owner: Owner }) {
  const { entry } = useStrings()
  const [password, setPassword] = useState('')
  const rules = passwordRules(password, owner)
  const strength = passwordStrength(password, rules)
  const advice = (
    <div className="new-password">
      <div className="strength" aria-live="polite">
        <span className="strength-bar" data-strength={strength} aria-hidden="true">
          <span />
          <span />
          <span />
          <span />
        </span>
        {strength ? `${entry.strength}: ${entry.strengths[strength]}` : entry.passwordAdvice}
      </div>
      <ul className="rules">
        <Rule isMet={rules.isLong} text={entry.ruleLength} />
        <Rule isMet={rules.isVaried} text={entry.ruleVaried} />
        <Rule isMet={rules.isNotOwn} text={entry.ruleOwn} />
      </ul>
    </div>
  )
  return (
    <PasswordField
      name={name}
      label={label}
      autoComplete="new-password"
      minLength={8}
      value={password}
      onChange={(event) => setPassword(event.currentTarget.value)}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      description={advice}
      descriptionProps={{ component: 'div' }}
    />
  )
}

function Rule({ isMet, text }: { isMet: boolean; text: string }) {
  const { entry } = useStrings()
  return (
    <li data-met={isMet}>
      <Icon name={isMet ? 'check' : 'dot'} size={15} />
      <span className="visually-hidden">{isMet ? entry.ruleMet : entry.ruleOpen}: </span>
      {text}
    </li>
  )
}
