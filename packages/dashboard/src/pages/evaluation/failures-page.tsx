import { useInstalled } from '../../data/installed.ts';
import { useOperation } from '../../data/query.ts';
import { useBranchRefresh } from '../../data/use-refresh.ts';
import { textParameter, useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { failures as texts } from '../../texts/failures.ts';
import { CallCode } from '../../ui/call-code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { ChoiceFilter, FilterBar } from '../../ui/filters.tsx';
import { Section } from '../../ui/section.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import branchStyles from '../branches/branches.module.css';
import styles from './evaluation.module.css';
import { VERDICT_EVENTS } from './evaluation-data.ts';
import { dimensionName, SegmentTable } from './segment-table.tsx';
import { Suspects } from './suspects.tsx';

const parameters = { judge: textParameter(), agent: textParameter(), by: textParameter() };
type FailureSearch = ReturnType<typeof useSearch<typeof parameters>>;

const JUDGES = { name: 'judges.list', input: { limit: 1 } } as const;
const ASKED_AGAIN = ['segments.list', 'failures.attribute'] as const;
const EVENTS: ReadonlySet<string> = new Set([...VERDICT_EVENTS, 'outcome']);

/** Which runs fail more often than others, and what they read. */
export function FailuresPage() {
  useCrumbs([{ label: texts.title }]);
  useBranchRefresh(EVENTS, ASKED_AGAIN);
  const [search, set] = useSearch(parameters);
  const { judge, agent, by } = search;
  const of = { ...(judge === '' ? {} : { judge_id: judge }), ...(agent === '' ? {} : { agent_id: agent }) };
  const input = { ...of, ...(by === '' ? {} : { by: [by] }) };
  const call = { name: 'segments.list', input } as const;
  const answer = useOperation('segments.list', input);
  return (
    <>
      <div className={branchStyles.title}>
        <div className={branchStyles.headLine}>
          <h1>{texts.title}</h1>
          <span className="third wide-only">{texts.note}</span>
        </div>
      </div>
      <Filters search={search} set={set} />
      <Loaded answer={answer} call={call} rows={8}>
        {({ fails, segments, looked_at, complete }) =>
          fails.of === 0 ? (
            <div className={branchStyles.empty}>
              <EmptyState title={texts.none}>
                <p className="second">{texts.noneHint}</p>
                <CallCode
                  label={texts.none}
                  calls={[{ name: 'outcomes.commit', input: { outcome_ref: 'deploy-1', outcome_type: 'success' } }]}
                />
              </EmptyState>
            </div>
          ) : (
            <Section
              title={texts.segments}
              note={[texts.ofRuns(fails.count, fails.of), texts.lookedAt(looked_at, complete)]
                .filter(Boolean)
                .join(', ')}
              bleed
              actions={<CopyAs call={call} />}
            >
              {segments.length === 0 ? (
                <p className={`${styles.none} third`}>{texts.alike}</p>
              ) : (
                <SegmentTable segments={segments} />
              )}
            </Section>
          )
        }
      </Loaded>
      <Suspects of={of} />
    </>
  );
}

type FilterChoice = { value: string; label: string };

function Filters({ search, set }: { search: FailureSearch[0]; set: FailureSearch[1] }) {
  const maySeeJudges = useInstalled([JUDGES]).get(JUDGES.name) === true;
  const judges = useOperation('judges.list', { limit: 100 }, { enabled: maySeeJudges });
  const agents = useOperation('agents.list', { limit: 1000 });
  const dimensions = useOperation('dimensions.list', {});
  const choice = (name: keyof typeof texts.filters, any: string, choices: readonly FilterChoice[] = []) => (
    <ChoiceFilter
      name={texts.filters[name]}
      any={any}
      value={search[name]}
      choices={choices}
      onChange={(value) => set({ [name]: value })}
    />
  );
  return (
    <div className={styles.filters}>
      <FilterBar>
        {maySeeJudges &&
          choice(
            'judge',
            texts.byOutcome,
            judges.data?.judges.map(({ judge_id, name }) => ({ value: judge_id, label: name })),
          )}
        {choice(
          'agent',
          texts.any,
          agents.data?.agents.map(({ agent_id }) => ({ value: agent_id, label: agent_id })),
        )}
        {choice(
          'by',
          texts.all,
          dimensions.data?.dimensions.map(({ name }) => ({ value: name, label: dimensionName(name) })),
        )}
      </FilterBar>
    </div>
  );
}
