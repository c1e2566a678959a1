import type { FormDefinition } from '../../../../forms/model'

/** Why a form is closed, or may refuse answers. */
export const FormProblems = ({ form }: { form: Pick<FormDefinition, 'problems'> }) =>
  form.problems.map((problem) => (
    <p key={problem} className="alert">
      {problem}
    </p>
  ))
