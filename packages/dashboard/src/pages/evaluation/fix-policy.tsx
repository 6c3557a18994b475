import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { fixes } from '../../texts/fixes.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Segmented } from '../../ui/choices.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';

const texts = fixes.policyForm;
const POLICIES = ['review', 'after_replay'] as const;
type FixPolicy = Output<'fixes.read_policy'>;

/** What new fixes have to go through, and a form to change it. */
export function FixPolicyPart({ className }: { className: string | undefined }) {
  const [isChanging, setChanging] = useState(false);
  const policy = useOperation('fixes.read_policy', {}).data;
  if (policy === undefined) return null;
  return (
    <div className={className}>
      <span className="third">{fixes.policyOf(fixes.policies[policy.policy], policy.set_id)}</span>
      <span className="grow" />
      <Button onClick={() => setChanging(true)}>{texts.change}</Button>
      {isChanging && <FixPolicyForm policy={policy} onClose={() => setChanging(false)} />}
    </div>
  );
}

function FixPolicyForm({ policy: first, onClose }: { policy: FixPolicy; onClose: () => void }) {
  const [policy, setPolicy] = useState(first.policy);
  const [setId, setSetId] = useState(first.set_id);
  const save = useAction('fixes.set_policy', {
    changes: ['fixes.read_policy'],
    onDone: () => {
      onClose();
      showToast(texts.saved);
    },
  });
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate({ policy, set_id: setId.trim() })}
      onClose={onClose}
    >
      <p className="second">{texts.hint}</p>
      <Segmented
        label={texts.policy}
        value={policy}
        choices={POLICIES.map((value) => ({ value, label: fixes.policies[value] }))}
        onChange={setPolicy}
      />
      <Field label={texts.setId}>
        {(field) => (
          <input
            {...field}
            required
            autoComplete="off"
            value={setId}
            onChange={(event) => setSetId(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
