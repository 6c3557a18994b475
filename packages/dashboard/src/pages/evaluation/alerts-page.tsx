import { useState } from 'react';
import type { OperationName, Output } from '../../data/client.ts';
import type { CopiedCall } from '../../data/copy-as.ts';
import { useAction, useOperation, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useBranchRefresh } from '../../data/use-refresh.ts';
import { choiceParameter, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { alerts as texts } from '../../texts/incidents.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Tag } from '../../ui/marks.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, ErrorState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from '../branches/branches.module.css';
import { AlertRuleForm } from './alert-rule-form.tsx';
import { AlertRules } from './alert-rules.tsx';

type ListedAlert = Output<'alerts.list'>['alerts'][number];

const STATUSES = ['raised', 'acknowledged', ''] as const;
type AlertsStatus = (typeof STATUSES)[number];
const parameters = { status: choiceParameter<AlertsStatus>('raised', STATUSES) };

const ALERT_ANSWERS: readonly OperationName[] = ['alerts.list', 'alert_rules.list'];
const ALERT_EVENTS: ReadonlySet<string> = new Set(['alert_raised', 'alert_acknowledged', 'alert_rule_changed']);

/** A rule that can be set as it is. */
const FIRST_RULE: CopiedCall = {
  name: 'alert_rules.create',
  input: { rule_id: 'too-slow', metric: 'duration_ms', above: 30_000 },
};

/** What rules have found, and the rules. */
export function AlertsPage() {
  useCrumbs([{ label: texts.title }]);
  useBranchRefresh(ALERT_EVENTS, ALERT_ANSWERS);
  const now = useNow();
  const [{ status }, set] = useSearch(parameters);
  const [isCreating, setCreating] = useState(false);
  const input = { limit: 50, ...(status === '' ? {} : { status }) };
  const call = { name: 'alerts.list', input } as const;
  const pages = usePages('alerts.list', input);
  const rules = useOperation('alert_rules.list', {});
  const rows = pages.data?.pages.flatMap((page) => page.alerts) ?? [];
  const ruleNames = new Map(rules.data?.rules.map(({ rule_id, name }) => [rule_id, name]));
  const acknowledge = useAction('alerts.acknowledge', {
    changes: ALERT_ANSWERS,
    onDone: () => showToast(texts.acknowledged),
  });
  useCommands([{ id: 'new-rule', label: texts.add, keys: 'n', group: 'page', run: () => setCreating(true) }]);
  return (
    <>
      <div className={styles.title}>
        <h1>{texts.title}</h1>
      </div>
      <div className={styles.bar}>
        <Segmented
          label={texts.status}
          value={status}
          choices={STATUSES.map((value) => ({ value, label: texts.statuses[value] }))}
          onChange={(next) => set({ status: next })}
        />
        <span className="third wide-only">{texts.note}</span>
        <span className="grow" />
        <CopyAs call={call} />
        <Button kind="ink" onClick={() => setCreating(true)}>
          {texts.add}
        </Button>
      </div>
      {acknowledge.error ? (
        <div className={styles.inset}>
          <ErrorState error={acknowledge.error} isAction />
        </div>
      ) : null}
      <Loaded answer={pages} call={call} rows={4}>
        {() =>
          rows.length === 0 ? (
            <div className={styles.empty}>
              <EmptyState title={texts.none}>
                {rules.data?.rules.length === 0 && (
                  <>
                    <p className="second">{texts.noneHint}</p>
                    <CallCode label={texts.add} calls={[FIRST_RULE]} />
                  </>
                )}
              </EmptyState>
            </div>
          ) : (
            <Table
              label={texts.title}
              columns={columnsAt(now, { ruleNames, acknowledge: (alert_id) => acknowledge.mutate({ alert_id }) })}
              rows={rows}
              keyOf={({ alert_id }) => alert_id}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
      <AlertRules changes={ALERT_ANSWERS} />
      {isCreating && <AlertRuleForm changes={ALERT_ANSWERS} onClose={() => setCreating(false)} />}
    </>
  );
}

type AlertActions = { ruleNames: ReadonlyMap<string, string>; acknowledge: (id: string) => void };

const columnsAt = (now: number, { ruleNames, acknowledge }: AlertActions): readonly Column<ListedAlert>[] => [
  {
    ...{ id: 'rule', head: texts.columns.rule, width: 200, phone: 'name' },
    cell: ({ rule_id }) => (
      <span className="strong" title={rule_id}>
        {ruleNames.get(rule_id) ?? rule_id}
      </span>
    ),
  },
  {
    ...{ id: 'reason', head: texts.columns.reason, phone: 'detail' },
    cell: ({ reason, comment }) => (
      <span className="second" title={comment === '' ? reason : comment}>
        {reason}
      </span>
    ),
  },
  {
    ...{ id: 'status', head: texts.columns.status, width: 124, phone: 'hide' },
    cell: ({ status }) => <Tag tone={status === 'raised' ? 'warn' : 'mute'}>{texts.statusOf[status]}</Tag>,
  },
  {
    ...{ id: 'raised', head: texts.columns.raised, width: 92, phone: 'time' },
    cell: ({ raised_at }) => (
      <time className="third" dateTime={raised_at} title={fullTimeOf(raised_at)}>
        {ago(raised_at, now)}
      </time>
    ),
  },
  {
    ...{ id: 'do', head: texts.columns.do, width: 152, end: true, phone: 'value' },
    cell: ({ alert_id, rule_id, status }) =>
      status === 'raised' && (
        <Button kind="quiet" aria-label={texts.acknowledgeOf(rule_id)} onClick={() => acknowledge(alert_id)}>
          {texts.acknowledge}
        </Button>
      ),
  },
];
