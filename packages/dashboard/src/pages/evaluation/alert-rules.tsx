import type { OperationName, Output } from '../../data/client.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { ago, confidence, dayAndTime, fullTimeOf, money, number, percent } from '../../texts/format.ts';
import { incidents, alerts as texts } from '../../texts/incidents.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Section } from '../../ui/section.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './evaluation.module.css';
import { useSourceNames } from './source-names.ts';

type AlertRule = Output<'alert_rules.list'>['rules'][number];

const call = { name: 'alert_rules.list', input: {} } as const;
const DAY_MS = 86_400_000;

const BOUNDS: Record<AlertRule['metric'], (above: number) => string> = {
  failure_rate: percent,
  incidents: number,
  cost_usd: money,
  duration_ms: number,
  calibration_error: confidence,
};

/** All rules: what each raises an alert for, with what can be done to it. */
export function AlertRules({ changes }: { changes: readonly OperationName[] }) {
  const now = useNow();
  const answer = useOperation('alert_rules.list', {});
  const mute = useAction('alert_rules.mute', {
    changes,
    onDone: ({ muted_until }) => showToast(muted_until === null ? incidents.unmuted : incidents.muted),
  });
  const remove = useAction('alert_rules.delete', {
    changes,
    onDone: ({ rule_id }) => showToast(texts.removed(rule_id)),
  });
  const itemsOf = ({ rule_id, muted_until }: AlertRule): MenuItem[] => [
    muted_until !== null && Date.parse(muted_until) > now
      ? { id: 'unmute', label: incidents.unmute, onSelect: () => mute.mutate({ rule_id, until: null }) }
      : {
          id: 'mute',
          label: `${texts.mute} · ${incidents.mutes.day}`,
          onSelect: () => mute.mutate({ rule_id, until: new Date(now + DAY_MS).toISOString() }),
        },
    { id: 'delete', label: texts.remove, danger: true, onSelect: () => remove.mutate({ rule_id }) },
  ];
  const error = mute.error ?? remove.error;
  return (
    <Section title={texts.rules} bleed actions={<CopyAs call={call} />}>
      {error === null ? null : <ErrorState error={error} isAction />}
      <Loaded answer={answer} call={call} rows={2}>
        {({ rules }) =>
          rules.length === 0 ? (
            <p className={`${styles.none} third`}>{texts.noRule}</p>
          ) : (
            <Table
              label={texts.rules}
              columns={columnsAt(now, itemsOf)}
              rows={rules}
              keyOf={({ rule_id }) => rule_id}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

type NameOf = ReturnType<typeof useSourceNames>;

const boundOf = ({ metric, above, window_minutes, judge_id, for_agent }: AlertRule, nameOf: NameOf): string =>
  [
    texts.bound(texts.metrics[metric], BOUNDS[metric](above), texts.minutes(window_minutes)),
    ...(judge_id === null ? [] : [texts.ofJudge(nameOf('judge', judge_id))]),
    ...(for_agent === null ? [] : [texts.ofAgent(for_agent)]),
  ].join(' ');

const Bound = ({ rule }: { rule: AlertRule }) => {
  const nameOf = useSourceNames();
  return (
    <span className="second" title={rule.judge_id ?? undefined}>
      {boundOf(rule, nameOf)}
    </span>
  );
};

const columnsAt = (now: number, itemsOf: (rule: AlertRule) => MenuItem[]): readonly Column<AlertRule>[] => [
  {
    ...{ id: 'rule', head: texts.ruleColumns.rule, width: 200, phone: 'name' },
    cell: ({ rule_id, name }) => (
      <span className="strong" title={rule_id}>
        {name}
      </span>
    ),
  },
  {
    ...{ id: 'metric', head: texts.ruleColumns.metric, phone: 'detail' },
    cell: (rule) => <Bound rule={rule} />,
  },
  {
    ...{ id: 'last', head: texts.ruleColumns.last, width: 180, phone: 'hide' },
    cell: ({ raised_at, muted_until }) => (
      <span className="third">
        {muted_until !== null && Date.parse(muted_until) > now ? (
          texts.mutedUntil(dayAndTime(muted_until))
        ) : raised_at === null ? (
          texts.never
        ) : (
          <time dateTime={raised_at} title={fullTimeOf(raised_at)}>
            {ago(raised_at, now)}
          </time>
        )}
      </span>
    ),
  },
  {
    ...{ id: 'do', head: texts.ruleColumns.do, width: 80, end: true, phone: 'value' },
    cell: (rule) => <Menu label={texts.actionsOf(rule.rule_id)} icon="dots" kind="quiet" items={itemsOf(rule)} />,
  },
];
