import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FormDefinition } from '../../../../forms/model'
import type { TableView } from '../../../../tables/model'
import { toErrorMessage } from '../../api/api-error'
import { queryClient } from '../../api/queries'
import { useStrings } from '../../language'
import { formsQuery } from './form-draft'
import { letFormsCreate } from './form-rule'

type FormProblemsProps = { table: TableView; form: Pick<FormDefinition, 'problems' | 'needsRule'> }

/** The reasons why a form is closed or may refuse answers, and an offer to add the rule that is missing. */
export function FormProblems({ table, form }: FormProblemsProps) {
  const strings = useStrings()
  const { forms: words } = strings
  const addRule = useMutation({ mutationFn: () => letFormsCreate(table), onSettled: () => queryClient.invalidateQueries(formsQuery) })
  return (
    <>
      {form.problems.map((problem) => (
        <p key={problem} className="alert">
          {problem}
        </p>
      ))}
      {form.needsRule ? (
        <>
          <Button variant="default" size="xs" className="at-start" loading={addRule.isPending} onClick={() => addRule.mutate()}>
            {words.addRule}
          </Button>
          <p className="soft">{words.addRuleHelp}</p>
        </>
      ) : null}
      <p role="alert" className="alert">
        {addRule.error ? toErrorMessage(addRule.error, strings) : ''}
      </p>
    </>
  )
}
