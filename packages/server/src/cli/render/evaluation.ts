import type { Output } from '@mem-service/contract';
import { type AnswerItem, columnsOf } from './columns.ts';
import { shareText } from './figures.ts';
import { counted, rounded } from './numbers.ts';
import { type Column, panel, table } from './table.ts';
import { type Screen, show, whenOn } from './text.ts';

type EvaluationSummary = Output<'verdicts.summarize'>;
type Share = EvaluationSummary['pass_rate'];

/** The judges that were defined, and those that were there. */
export function seeded(item: AnswerItem, screen: Screen): string {
  const { created, existing } = item as unknown as Output<'judges.seed'>;
  const rows = created as readonly AnswerItem[];
  const shown = rows.length === 0 ? '' : table(rows, columnsOf('judges.list', rows, screen), screen);
  const there = existing.length === 0 ? '' : `${counted(existing.length, 'judge')} were there already\n`;
  return `${shown}${there}`;
}

type CountedResults = Pick<EvaluationSummary, 'pass' | 'fail' | 'error' | 'skipped' | 'pass_rate'>;

const number = (title: string, of: (row: CountedResults) => number): Column<CountedResults> => ({
  ...{ title, right: true },
  of: (row) => String(of(row)),
});

const COUNTS: readonly Column<CountedResults>[] = [
  { title: 'PASSED', right: true, of: ({ pass_rate }) => shareText(pass_rate) },
  number('PASS', ({ pass }) => pass),
  number('FAIL', ({ fail }) => fail),
  number('ERROR', ({ error }) => error),
  number('SKIPPED', ({ skipped }) => skipped),
];

/** What judges found in a time: in all, by judge, by agent, and in its parts. */
export function summarized(item: AnswerItem, screen: Screen): string {
  const summary = item as unknown as EvaluationSummary;
  const { since, until, traces, overruled, judges: byJudge, agents: byAgent, trend } = summary;
  const times = `${whenOn(screen, since)} to ${whenOn(screen, until)}`;
  if (traces === 0) return `no verdicts from ${times}\n`;
  const head = panel(
    [
      ['time', times],
      ['traces', String(traces)],
      ['passed', `${shareText(summary.pass_rate)} of ${counted(summary.pass_rate.of, 'verdict')}`],
      ['overruled', overruled === 0 ? '' : String(overruled)],
      ['change', changeText(summary.change)],
      ['complete', summary.complete_since === null ? '' : `since ${whenOn(screen, summary.complete_since)}`],
    ],
    screen,
  );
  const ofJudges = table(
    byJudge,
    [{ title: 'JUDGE', whole: true, of: ({ judge_id }) => show(judge_id) }, ...COUNTS],
    screen,
  );
  const ofAgents = table(byAgent, [{ title: 'AGENT', of: ({ agent_id }) => show(agent_id) }, ...COUNTS], screen);
  const parts = table(
    trend,
    [
      { title: 'FROM', of: (part) => whenOn(screen, part.since) },
      { title: 'PASSED', right: true, of: ({ pass_rate }) => shareText(pass_rate) },
      { title: 'PASS', right: true, of: ({ pass }) => String(pass) },
      { title: 'FAIL', right: true, of: ({ fail }) => String(fail) },
    ],
    screen,
  );
  return [head, ofJudges, ofAgents, parts].join('\n');
}

const SURE = 0.05;

function changeText(change: EvaluationSummary['change']): string {
  if (change === null) return '';
  const { earlier, later, p } = change;
  const may = p < SURE ? '' : ', which may be chance';
  return `${shareText(earlier)} in the first half, ${shareText(later)} in the second${may}`;
}

/** How good a judge is by what people found, and how far others agree with it. */
export function detected(item: AnswerItem, screen: Screen): string {
  const rate = item as unknown as Output<'judges.detection_rate'>;
  const { labelled, undecided, complete, judges: others } = rate;
  const without = undecided === 0 ? '' : `, ${undecided} of them not judged or skipped`;
  const of = ({ count, of: all }: Share) => `${count} of ${all}`;
  const head = panel(
    [
      ['judge', `${show(rate.judge_id)}, version ${rate.judge_version}`],
      ['labelled', `${complete ? '' : 'the newest '}${counted(labelled, 'trace')}${without}`],
      ['precision', `${shareText(rate.precision)}: people fail ${of(rate.precision)} that it failed`],
      ['recall', `${shareText(rate.recall)}: it failed ${of(rate.recall)} that people fail`],
      ['agreement', `${shareText(rate.agreement)}, kappa ${rounded(rate.kappa)}`],
    ],
    screen,
  );
  if (others.length === 0) return head;
  const compared = table(
    others,
    [
      { title: 'OTHER JUDGE', whole: true, of: ({ judge_id }) => show(judge_id) },
      { title: 'AGREES', right: true, of: ({ agreement }) => shareText(agreement) },
      { title: 'TRACES', right: true, of: ({ agreement }) => String(agreement.of) },
      { title: 'KAPPA', right: true, of: ({ kappa }) => rounded(kappa) },
    ],
    screen,
  );
  return `${head}\n${compared}`;
}
