import { useState } from 'react';
import type { CopiedCall } from '../../data/copy-as.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { numberParameter, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { evaluation } from '../../texts/evaluation.ts';
import { confidence, dayAndTime, fullTimeOf, percent } from '../../texts/format.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { comparable } from '../../ui/diff.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Menu } from '../../ui/menu.tsx';
import { type Fact, Facts, Section } from '../../ui/section.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from '../branches/branches.module.css';
import { StartBackfill } from './backfill-form.tsx';
import { DryRun } from './dry-run.tsx';
import { JUDGE_ANSWERS, type ListedJudge, targetOf } from './evaluation-data.ts';
import { JudgeForm } from './judge-form.tsx';
import { STATUS_TONES } from './judge-list.tsx';
import { JudgePassed } from './judge-passed.tsx';
import { JudgeVersions } from './judge-versions.tsx';

const texts = evaluation.judges;
const parameters = { version: numberParameter(0) };

/** One judge: what it looks for, in all its versions, and what it would find. */
export function JudgePage({ judgeId }: { judgeId: string }) {
  const [{ version }] = useSearch(parameters);
  const input = { judge_id: judgeId, ...(version > 0 ? { version } : {}) };
  const call = { name: 'judges.read', input } as const;
  const answer = useOperation('judges.read', input);
  useCrumbs([{ label: texts.title, href: hrefOf('judges') }, { label: answer.data?.name ?? judgeId }]);
  return (
    <div className={styles.message}>
      <Loaded answer={answer} rows={10} call={call}>
        {(judge) => <ShownJudge judge={judge} call={call} isOld={version > 0} />}
      </Loaded>
    </div>
  );
}

type ShownJudgeProps = { judge: ListedJudge; call: CopiedCall; isOld: boolean };

function ShownJudge({ judge, call, isOld }: ShownJudgeProps) {
  const [shown, setShown] = useState<'edit' | 'backfill'>();
  const { judge_id, name, description, status, definition, version } = judge;
  const { error, items } = useStatusActions(judge);
  useCommands([{ id: 'edit-judge', label: texts.edit, keys: 'e', group: 'page', run: () => setShown('edit') }]);
  return (
    <>
      <div className={styles.head}>
        <div className={styles.headLine}>
          <h1>{name}</h1>
          <Tag tone={STATUS_TONES[status]}>{texts.statusOf[status]}</Tag>
          <span className="grow" />
          <ButtonLink href={hrefOf('verdicts', '', { judge: judge_id })}>{texts.toVerdicts}</ButtonLink>
          <Button kind="ink" onClick={() => setShown('edit')}>
            {texts.edit}
          </Button>
          <CopyAs call={call} />
          <Menu
            label={texts.actions}
            icon="dots"
            kind="quiet"
            items={[...items, { id: 'backfill', label: texts.backfill, onSelect: () => setShown('backfill') }]}
          />
        </div>
        {description !== '' && <p className="second prose">{description}</p>}
        {error !== null && <ErrorState error={error} isAction />}
      </div>
      <div className={styles.split}>
        <div>
          <Section title={texts.definition} note={isOld ? texts.definitionOf(version) : undefined}>
            <Code label={texts.definition} text={comparable(definition)} numbered copy json />
          </Section>
          <DryRun of={{ judge_id }} />
        </div>
        <div className={styles.aside}>
          <Section title={texts.about}>
            <Facts facts={factsOf(judge)} />
          </Section>
          <JudgePassed judgeId={judge_id} />
          <JudgeVersions judgeId={judge_id} newest={version} />
        </div>
      </div>
      {shown === 'edit' && <JudgeForm judge={judge} onClose={() => setShown(undefined)} />}
      {shown === 'backfill' && <StartBackfill judgeId={judge_id} onClose={() => setShown(undefined)} />}
    </>
  );
}

/** Active, draft or archived; what is changed can be undone. */
function useStatusActions({ judge_id, name, status }: ListedJudge) {
  const update = useAction('judges.update', { changes: JUDGE_ANSWERS });
  const archive = useAction('judges.delete', {
    changes: JUDGE_ANSWERS,
    onDone: () =>
      showToast(texts.archived(name), () =>
        update.mutate({ judge_id, status: status === 'archived' ? 'active' : status }),
      ),
  });
  const set = (next: 'active' | 'draft', done: string) => () =>
    update.mutate({ judge_id, status: next }, { onSuccess: () => showToast(done) });
  const items = [
    ...(status === 'active'
      ? []
      : [{ id: 'activate', label: texts.activate, onSelect: set('active', texts.activated(name)) }]),
    ...(status === 'active' ? [{ id: 'pause', label: texts.pause, onSelect: set('draft', texts.paused(name)) }] : []),
    ...(status === 'archived'
      ? []
      : [{ id: 'archive', label: texts.archive, danger: true, onSelect: () => archive.mutate({ judge_id }) }]),
  ];
  return { error: update.error ?? archive.error, items };
}

function factsOf(judge: ListedJudge): Fact[] {
  const { facts } = texts;
  const { judge_id, definition, version, sampling_rate, evidence_weight, agent_id, created_at } = judge;
  return [
    { name: facts.id, value: <code>{judge_id}</code> },
    { name: facts.kind, value: definition.kind },
    { name: facts.version, value: texts.version(version) },
    { name: facts.for, value: targetOf(judge) },
    { name: facts.rate, value: percent(sampling_rate) },
    { name: facts.weight, value: evidence_weight === 0 ? texts.noEvidence : confidence(evidence_weight) },
    {
      name: facts.by,
      value: (
        <a className="link" href={hrefOf('agents', agent_id)}>
          {agent_id}
        </a>
      ),
    },
    {
      name: facts.at,
      value: (
        <time dateTime={created_at} title={fullTimeOf(created_at)}>
          {dayAndTime(created_at)}
        </time>
      ),
    },
    {
      name: facts.verdicts,
      value: (
        <a className="link" href={hrefOf('verdicts', '', { judge: judge_id, result: 'fail' })}>
          {texts.toFailures}
        </a>
      ),
    },
  ];
}
