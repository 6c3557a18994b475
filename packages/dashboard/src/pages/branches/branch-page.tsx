import { useState } from 'react';
import { useInstalled } from '../../data/installed.ts';
import { useAction, useOperation, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { branches as texts } from '../../texts/branches.ts';
import { ago, dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { ui } from '../../texts/ui.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { type Fact, Facts, Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { OpenPull } from '../pulls/open-pull.tsx';
import { BRANCH_ANSWERS, type BranchWithCounts } from './branch-data.ts';
import { DescribeBranch, ProtectBranch } from './branch-dialogs.tsx';
import { BranchState, Moved } from './branch-marks.tsx';
import styles from './branches.module.css';
import { MergeBranch, RefreshBranch } from './merge-dialog.tsx';
import { MergeLines } from './merges-part.tsx';
import { PickableEntries } from './pick-entries.tsx';

type Doing = 'merge' | 'refresh' | 'protect' | 'describe' | 'pull';
const PAGE = 50;
const PULLS = { name: 'pull_requests.list', input: { status: 'open', limit: 1 } } as const;

/** One branch: what it changed, and what can be done with it. */
export function BranchPage({ name }: { name: string }) {
  useCrumbs([{ label: texts.title, href: hrefOf('branches') }, { label: name }]);
  const read = useOperation('branches.read', { name });
  const call = { name: 'branches.read', input: { name } } as const;
  return (
    <div className={styles.message}>
      <Loaded answer={read} call={call}>
        {(branch) => <Branch branch={branch} />}
      </Loaded>
    </div>
  );
}

function Branch({ branch }: { branch: BranchWithCounts }) {
  const { name, parent_branch, description } = branch;
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const hasPulls = useInstalled([PULLS]).get(PULLS.name) === true;
  const { items, error } = useBranchMenu(branch, setDoing);
  const isActive = branch.status === 'active' && parent_branch !== null;
  useCommands([
    ...(isActive
      ? [{ id: 'merge', label: texts.merge.action, keys: 'm', group: 'page' as const, run: () => setDoing('merge') }]
      : []),
  ]);
  return (
    <>
      <header className={styles.head}>
        <div className={styles.headLine}>
          <h1 className="mono">{name}</h1>
          <BranchState branch={branch} />
          <span className="grow" />
          {isActive && (
            <>
              <Button onClick={() => setDoing('refresh')}>{texts.merge.refresh}</Button>
              <Button onClick={() => setDoing('merge')}>{texts.merge.action}</Button>
              {hasPulls && (
                <Button kind="ink" onClick={() => setDoing('pull')}>
                  {texts.openPull}
                </Button>
              )}
            </>
          )}
          <CopyAs call={{ name: 'branches.read', input: { name } }} />
          <Menu label={ui.more} icon="dots" items={items} />
        </div>
        <p className="second prose">{description || (parent_branch === null ? texts.detail.mainNote : '')}</p>
        {error !== null && error !== undefined && <ErrorState error={error} isAction />}
      </header>
      <div className={styles.split}>
        <div className={styles.wide}>
          {parent_branch === null ? <MergesInto name={name} /> : <Changes branch={branch} parent={parent_branch} />}
        </div>
        <div className={styles.aside}>
          <About branch={branch} />
          <Protection branch={branch} />
          {hasPulls && <Pulls name={name} isTarget={parent_branch === null} />}
        </div>
      </div>
      {doing === 'merge' && <MergeBranch branch={branch} onClose={close} />}
      {doing === 'refresh' && <RefreshBranch branch={branch} onClose={close} />}
      {doing === 'protect' && <ProtectBranch branch={branch} onClose={close} />}
      {doing === 'describe' && <DescribeBranch branch={branch} onClose={close} />}
      {doing === 'pull' && <OpenPull source={name} target={parent_branch ?? 'main'} onClose={close} />}
    </>
  );
}

/** What is done less often; closing and unprotecting can be undone. */
function useBranchMenu(branch: BranchWithCounts, setDoing: (doing: Doing) => void) {
  const { name, protection, status, parent_branch } = branch;
  const changes = { changes: BRANCH_ANSWERS };
  const protect = useAction('branches.protect', changes);
  const reopen = useAction('branches.reopen', { ...changes, onDone: () => showToast(texts.reopen.done(name)) });
  const close = useAction('branches.close', {
    ...changes,
    onDone: () => showToast(texts.close.done(name), () => reopen.mutate({ name })),
  });
  const unprotect = useAction('branches.unprotect', {
    ...changes,
    onDone: () =>
      showToast(texts.protect.ended(name), protection ? () => protect.mutate({ name, ...protection }) : undefined),
  });
  const item = (id: string, label: string, onSelect: () => void): MenuItem => ({ id, label, onSelect });
  const items = [
    ...(parent_branch === null ? [] : [item('describe', texts.describe.action, () => setDoing('describe'))]),
    item('protect', protection ? texts.protect.change : texts.protect.action, () => setDoing('protect')),
    ...(protection ? [item('unprotect', texts.protect.end, () => unprotect.mutate({ name }))] : []),
    ...(parent_branch !== null && status === 'active'
      ? [{ ...item('close', texts.close.action, () => close.mutate({ name })), danger: true }]
      : []),
    ...(status === 'active' ? [] : [item('reopen', texts.reopen.action, () => reopen.mutate({ name }))]),
  ];
  return { items, error: close.error ?? reopen.error ?? unprotect.error ?? protect.error };
}

function Changes({ branch: { name }, parent }: { branch: BranchWithCounts; parent: string }) {
  const input = { name, against: parent, limit: PAGE };
  const pages = usePages('branches.diff', input);
  const call = { name: 'branches.diff', input } as const;
  const entries = pages.data?.pages.flatMap((page) => page.entries) ?? [];
  const hidden = pages.data?.pages.reduce((sum, page) => sum + page.hidden, 0) ?? 0;
  const write = { entity_path: 'checkout/payments', key: 'retry-policy', value: 'three attempts', branch: name };
  return (
    <Section bleed title={texts.detail.changes} note={texts.detail.changesNote(parent)} className={styles.last}>
      <Loaded answer={pages} call={call}>
        {() =>
          entries.length === 0 && hidden === 0 ? (
            <div className={styles.inset}>
              <p className="second">{texts.detail.noChanges(parent)}</p>
              <p className="third">{texts.detail.noChangesHint}</p>
              <CallCode label={texts.detail.noChangesHint} calls={[{ name: 'entries.write', input: write }]} />
            </div>
          ) : (
            <PickableEntries entries={entries} hidden={hidden} from={name} onto={parent} />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
    </Section>
  );
}

function MergesInto({ name }: { name: string }) {
  return (
    <Section bleed title={texts.detail.merges} className={styles.last}>
      <MergeLines target={name} empty={texts.detail.noMerges} />
    </Section>
  );
}

function About({ branch }: { branch: BranchWithCounts }) {
  const { name, parent_branch, fork_seq } = branch;
  const fact = (title: string, at: string | null, by: string | null): Fact[] =>
    at === null
      ? []
      : [
          {
            name: title,
            value: (
              <>
                <time dateTime={at} title={fullTimeOf(at)}>
                  {dayAndTime(at)}
                </time>{' '}
                {by !== null && <a href={hrefOf('agents', by)}>{texts.by(by)}</a>}
              </>
            ),
          },
        ];
  const facts: Fact[] = [
    ...(parent_branch === null
      ? []
      : [
          {
            name: texts.detail.parent,
            value: (
              <a className="mono" href={hrefOf('branches', parent_branch)}>
                {parent_branch}@{fork_seq}
              </a>
            ),
          },
          { name: texts.detail.moved, value: <Moved branch={branch} /> },
        ]),
    ...fact(texts.detail.created, branch.created_at, branch.created_by),
    ...fact(texts.detail.merged, branch.merged_at, branch.merged_by),
    ...fact(texts.detail.closed, branch.closed_at, branch.closed_by),
  ];
  return (
    <Section title={texts.detail.about}>
      <div className="stack">
        {facts.length > 0 && <Facts facts={facts} />}
        <div>
          <ButtonLink href={hrefOf('memory', '', name === 'main' ? {} : { branch: name })}>
            {texts.detail.memory}
          </ButtonLink>
        </div>
      </div>
    </Section>
  );
}

function Protection({ branch: { protection } }: { branch: BranchWithCounts }) {
  const { facts, dismissed, kept, noChecks, none } = texts.protect;
  return (
    <Section title={texts.detail.protection}>
      {protection === null ? (
        <p className="third">{none}</p>
      ) : (
        <Facts
          facts={[
            { name: facts.approvals, value: protection.required_approvals },
            { name: facts.dismisses, value: protection.dismisses_approvals ? dismissed : kept },
            {
              name: facts.checks,
              value:
                (protection.required_checks ?? []).length === 0 ? (
                  noChecks
                ) : (
                  <span className="mono">{protection.required_checks?.join(', ')}</span>
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}

const MOST_PULLS = 10;

function Pulls({ name, isTarget }: { name: string; isTarget: boolean }) {
  const now = useNow();
  const side = isTarget ? { target_branch: name, status: 'open' as const } : { source_branch: name };
  const input = { ...side, limit: MOST_PULLS };
  const listed = useOperation('pull_requests.list', input);
  return (
    <Section title={texts.detail.pulls}>
      <Loaded answer={listed} call={{ name: 'pull_requests.list', input }} rows={2}>
        {({ pull_requests }) =>
          pull_requests.length === 0 ? (
            <p className="third">{texts.detail.noPulls}</p>
          ) : (
            <ul className={styles.lines}>
              {pull_requests.map(({ id, title, status, updated_at }) => (
                <li key={id} className="line">
                  <a className="grow cut" href={hrefOf('pulls', id)} title={title}>
                    {title}
                  </a>
                  <span className="third small">{status}</span>
                  <span className="third small">{ago(updated_at, now)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
