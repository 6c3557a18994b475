import { useState } from 'react';
import { client } from '../../data/client.ts';
import { problemOf } from '../../data/problem.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { admin, keysTexts as texts } from '../../texts/admin.ts';
import { fullTimeOf, number } from '../../texts/format.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { Dialog, DialogActions, TypedConfirmation } from '../../ui/dialog.tsx';
import { type Fact, Facts } from '../../ui/section.tsx';
import { Select } from '../../ui/select.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './admin.module.css';
import { KeyStatus, type ListedKey, type MadeKey, scopesWords } from './key-marks.tsx';
import { DetailHead } from './panes.tsx';

type KeyDetailProps = { apiKey: ListedKey; onClose: () => void; onMade: (made: MadeKey) => void };

/** One key: what it may do, and ways to replace and to revoke it. */
export function KeyDetail({ apiKey, onClose, onMade }: KeyDetailProps) {
  const [asking, setAsking] = useState<'rotate' | 'revoke'>();
  const me = useOperation('me.read', {});
  const revoke = useAction('keys.revoke', {
    changes: ['keys.list'],
    onDone: () => {
      setAsking(undefined);
      showToast(texts.revokedToast(apiKey.name));
    },
  });
  const close = () => setAsking(undefined);
  return (
    <>
      <DetailHead title={apiKey.name} note={<KeyStatus apiKey={apiKey} />} onClose={onClose} />
      <div className={styles.part}>
        <Facts facts={factsOf(apiKey)} />
      </div>
      {apiKey.active && (
        <div className={styles.foot}>
          <Button onClick={() => setAsking('rotate')}>{texts.rotate}</Button>
          <Button kind="danger" onClick={() => setAsking('revoke')}>
            {texts.revoke}
          </Button>
        </div>
      )}
      {asking === 'rotate' && (
        <RotateDialog
          apiKey={apiKey}
          onClose={close}
          onMade={(made) => {
            close();
            onMade(made);
          }}
        />
      )}
      {asking === 'revoke' && (
        <TypedConfirmation
          title={texts.revokeTitle(apiKey.name)}
          expected={apiKey.name}
          action={texts.revoke}
          busy={revoke.isPending}
          error={revoke.isError ? problemOf(revoke.error).detail : undefined}
          onConfirm={() => revoke.mutate({ key_id: apiKey.key_id })}
          onClose={close}
        >
          <p className="second">{texts.revokeHint}</p>
          {me.data?.key?.key_id === apiKey.key_id && <p className="warn">{texts.own}</p>}
        </TypedConfirmation>
      )}
    </>
  );
}

const OVERLAPS = ['0', '3600', '86400', '604800'] as const;
const OVERLAP_CHOICES = OVERLAPS.map((value) => ({ value, label: texts.overlaps[value] }));

type RotateDialogProps = { apiKey: ListedKey; onClose: () => void; onMade: (made: MadeKey) => void };

function RotateDialog({ apiKey, onClose, onMade }: RotateDialogProps) {
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>('86400');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const rotate = async () => {
    setBusy(true);
    try {
      onMade(await client().call('keys.rotate', { key_id: apiKey.key_id, overlap_seconds: Number(overlap) }));
    } catch (failure) {
      setError(problemOf(failure).detail);
      setBusy(false);
    }
  };
  return (
    <Dialog title={texts.rotateTitle(apiKey.name)} onClose={onClose}>
      <p className="second">{texts.rotateHint}</p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void rotate();
        }}
      >
        <Field label={texts.overlap} error={error}>
          {(field) => <Select {...field} value={overlap} choices={OVERLAP_CHOICES} onChange={setOverlap} />}
        </Field>
        <DialogActions>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind="ink" submit busy={busy}>
            {texts.rotate}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

const time = (at: string | null): string => (at === null ? admin.never : fullTimeOf(at));
const list = (items: readonly string[] | undefined): string => items?.join(', ') ?? '';

function factsOf(apiKey: ListedKey): Fact[] {
  const { facts } = texts;
  const mono = (text: string) => <span className="mono">{text}</span>;
  const all: [string, string | null, boolean?][] = [
    [facts.id, apiKey.key_id, true],
    [facts.prefix, `${apiKey.prefix}…`, true],
    [facts.type, texts.types[apiKey.key_type ?? 'agent'].name],
    [facts.scopes, scopesWords(apiKey)],
    [facts.paths, list(apiKey.entity_paths), true],
    [facts.agents, list(apiKey.agent_ids), true],
    [facts.branch, apiKey.default_branch ?? null, true],
    [facts.rate, number(apiKey.rate_limit_rpm)],
    [facts.connector, apiKey.connector],
    [facts.member, apiKey.member_id, true],
    [facts.created, `${time(apiKey.created_at)} ${facts.by} ${apiKey.created_by}`],
    [facts.used, time(apiKey.last_used_at)],
    [facts.expires, time(apiKey.expires_at)],
    [facts.revoked, apiKey.revoked_at === null ? null : time(apiKey.revoked_at)],
    [facts.replaces, apiKey.rotated_from, true],
  ];
  return all.flatMap(([name, value, isMono = false]) =>
    value === null || value === '' ? [] : [{ name, value: isMono ? mono(value) : value }],
  );
}
