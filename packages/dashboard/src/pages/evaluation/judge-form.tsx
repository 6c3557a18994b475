import { useState } from 'react';
import { isMemError, type Request } from '../../data/client.ts';
import { useAction } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { evaluation } from '../../texts/evaluation.ts';
import { Field } from '../../ui/choices.tsx';
import { comparable } from '../../ui/diff.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import { DryRun } from './dry-run.tsx';
import styles from './evaluation.module.css';
import { FIRST_DEFINITION, JUDGE_ANSWERS, type ListedJudge } from './evaluation-data.ts';

const texts = evaluation.form;

type JudgeFields = {
  id: string;
  name: string;
  description: string;
  definition: string;
  agent: string;
  path: string;
  rate: string;
  weight: string;
  status: 'active' | 'draft';
};

/** Fields of one line, and the members of the request that they are. */
const MEMBERS = {
  id: { label: texts.id, name: 'judge_id' },
  name: { label: texts.name, name: 'name' },
  description: { label: texts.description, name: 'description' },
  agent: { label: texts.forAgent, name: 'for_agent' },
  path: { label: texts.forPath, name: 'for_path' },
  rate: { label: texts.rate, name: 'sampling_rate' },
  weight: { label: texts.weight, name: 'evidence_weight' },
} as const;

const fieldsOf = (judge: ListedJudge | undefined): JudgeFields => ({
  id: judge?.judge_id ?? '',
  name: judge?.name ?? '',
  description: judge?.description ?? '',
  definition: comparable(judge?.definition ?? FIRST_DEFINITION),
  agent: judge?.for_agent ?? '',
  path: judge?.for_path ?? '',
  rate: String(judge?.sampling_rate ?? 1),
  weight: String(judge?.evidence_weight ?? 0),
  status: judge?.status === 'draft' ? 'draft' : 'active',
});

type Definition = Request<'judges.create'>['definition'];
type ParsedDefinition = { definition: Definition; problem?: undefined } | { definition?: undefined; problem: string };

function parsed(text: string): ParsedDefinition {
  try {
    return { definition: JSON.parse(text) };
  } catch (error) {
    return { problem: texts.notJson((error as Error).message) };
  }
}

/** What a member of the request lacks, in the service's words, each with its place below the member. */
function problemsOf(error: unknown): (member: string) => string | undefined {
  const all = isMemError(error, 'invalid_input') ? error.details.errors : [];
  return (member) => {
    const of = all.filter(({ path }) => path === member || path.startsWith(`${member}.`));
    return of.length === 0 ? undefined : of.map(({ path, message }) => `${path}: ${message}`).join('\n');
  };
}

/** A new judge, or the next version of one. What the service refuses stands at the field; nothing typed is lost. */
export function JudgeForm({ judge, onClose }: { judge?: ListedJudge; onClose: () => void }) {
  const [form, setForm] = useState(() => fieldsOf(judge));
  const change = (next: Partial<JudgeFields>) => setForm({ ...form, ...next });
  const { definition, problem } = parsed(form.definition);
  const save = useSave(judge, onClose);
  const problemOfMember = problemsOf(save.error);
  const isOfField = isMemError(save.error, 'invalid_input') && save.error.details.errors.length > 0;
  const text = (member: keyof typeof MEMBERS, hint?: string) => (
    <Field label={MEMBERS[member].label} hint={hint} error={problemOfMember(MEMBERS[member].name)}>
      {(field) => (
        <input
          {...field}
          autoComplete="off"
          spellCheck={false}
          required={member === 'id'}
          value={form[member]}
          onChange={(event) => change({ [member]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <FormDialog
      wide
      title={judge ? texts.editTitle(judge.name) : texts.createTitle}
      submit={judge ? texts.save : texts.create}
      busy={save.isPending}
      disabled={definition === undefined || form.id === ''}
      error={isOfField ? null : save.error}
      onSubmit={() => definition && save.run(form, definition)}
      onClose={onClose}
    >
      <div className={styles.pair}>
        {!judge && text('id', texts.idHint)}
        {text('name')}
        {judge && <StatusField value={form.status} onChange={(status) => change({ status })} />}
      </div>
      {text('description')}
      <Field label={texts.definition} hint={texts.definitionHint} error={problem ?? problemOfMember('definition')}>
        {(field) => (
          <textarea
            {...field}
            className={`${field.className} ${styles.definition}`}
            spellCheck={false}
            value={form.definition}
            onChange={(event) => change({ definition: event.target.value })}
          />
        )}
      </Field>
      <div className={styles.pair}>
        {text('agent')}
        {text('path', texts.forPathHint)}
        {text('rate')}
        {text('weight')}
        {!judge && <StatusField value={form.status} onChange={(status) => change({ status })} />}
      </div>
      {definition && <DryRun of={{ definition }} isInForm />}
    </FormDialog>
  );
}

const numberIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** Creates or updates it. Of an update only what differs is sent, so that it is a new version only where it should be. */
function useSave(judge: ListedJudge | undefined, onClose: () => void) {
  const create = useAction('judges.create', {
    changes: JUDGE_ANSWERS,
    onDone: ({ judge_id, name }) => {
      onClose();
      showToast(texts.created(name));
      navigate(hrefOf('judges', judge_id));
    },
  });
  const update = useAction('judges.update', {
    changes: JUDGE_ANSWERS,
    onDone: ({ judge_id, name, version }) => {
      onClose();
      showToast(texts.saved(name, version));
      navigate(hrefOf('judges', judge_id));
    },
  });
  const run = (form: JudgeFields, definition: Definition) => {
    const given = {
      name: form.name.trim(),
      description: form.description,
      definition,
      for_agent: form.agent.trim() === '' ? null : form.agent.trim(),
      for_path: form.path.trim() === '' ? null : form.path.trim(),
      sampling_rate: numberIn(form.rate),
      evidence_weight: numberIn(form.weight),
      status: form.status,
    };
    if (!judge) {
      const { name, ...rest } = given;
      return create.mutate({ judge_id: form.id.trim(), ...(name === '' ? {} : { name }), ...rest });
    }
    const isNew = ([name, value]: [string, unknown]) =>
      JSON.stringify(value) !== JSON.stringify(judge[name as keyof ListedJudge]);
    const changed = Object.fromEntries(Object.entries(given).filter(isNew));
    return update.mutate({ judge_id: judge.judge_id, ...changed });
  };
  return { run, isPending: create.isPending || update.isPending, error: create.error ?? update.error };
}

type StatusFieldProps = { value: JudgeFields['status']; onChange: (status: JudgeFields['status']) => void };

const StatusField = ({ value, onChange }: StatusFieldProps) => (
  <Field label={texts.status}>
    {(field) => (
      <select {...field} value={value} onChange={(event) => onChange(event.target.value as JudgeFields['status'])}>
        {(['active', 'draft'] as const).map((status) => (
          <option key={status} value={status}>
            {texts.statuses[status]}
          </option>
        ))}
      </select>
    )}
  </Field>
);
