import type { Output } from '../../data/client.ts';
import { useOperation, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { numberParameter, useSearch } from '../../router/router.tsx';
import { evaluation } from '../../texts/evaluation.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { comparable } from '../../ui/diff.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ageColumn } from '../branches/columns.tsx';
import styles from './evaluation.module.css';

const texts = evaluation.versions;
const PAGE = 20;
const parameters = { version: numberParameter(0), from: numberParameter(0), to: numberParameter(0) };

type PastJudge = Output<'judges.history'>['versions'][number];

/** All versions of a judge, and any two of them compared. A row shows that version, compared with the one before. */
export function JudgeVersions({ judgeId, newest }: { judgeId: string; newest: number }) {
  const now = useNow();
  const [{ from, to, version }, set] = useSearch(parameters);
  const input = { judge_id: judgeId, limit: PAGE };
  const pages = usePages('judges.history', input);
  const versions = pages.data?.pages.flatMap((page) => page.versions) ?? [];
  const last = versions[0]?.version ?? newest;
  const after = to > 0 ? to : version > 0 ? version : last;
  const before = from > 0 ? from : after - 1;
  const show = (next: number) => set({ version: next === last ? 0 : next, from: 0, to: 0 });
  return (
    <Section
      title={texts.title}
      bleed
      actions={
        last > 1 && (
          <span className="line">
            <VersionField label={texts.from} last={last} value={before} onChange={(next) => set({ from: next })} />
            <VersionField label={texts.to} last={last} value={after} onChange={(next) => set({ to: next })} />
          </span>
        )
      }
    >
      {before >= 1 && before !== after && <Compared judgeId={judgeId} from={before} to={after} />}
      <Loaded answer={pages} call={{ name: 'judges.history', input }} rows={2}>
        {() => (
          <Table
            label={texts.title}
            columns={columnsAt(now)}
            rows={versions}
            keyOf={(one) => one.version}
            selected={version > 0 ? version : last}
            onOpen={(one) => show(one.version)}
          />
        )}
      </Loaded>
      <ShowMore pages={pages} />
    </Section>
  );
}

type VersionFieldProps = { label: string; last: number; value: number; onChange: (version: number) => void };

/** Of very many versions, the newest can be chosen; an address names any. */
const MOST_CHOICES = 200;

function VersionField({ label, last, value, onChange }: VersionFieldProps) {
  const newest = Array.from({ length: Math.min(last, MOST_CHOICES) }, (_, i) => last - i);
  const choices = newest.includes(value) || value < 1 ? newest : [...newest, value];
  return (
    <label className="line small">
      <span className="third">{label}</span>
      <select className={styles.version} value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {choices.map((version) => (
          <option key={version} value={version}>
            {evaluation.judges.version(version)}
          </option>
        ))}
      </select>
    </label>
  );
}

type JudgeChange = Output<'judges.diff'>['changes'][number];

function Compared({ judgeId, from, to }: { judgeId: string; from: number; to: number }) {
  const input = { judge_id: judgeId, from, to };
  const call = { name: 'judges.diff', input } as const;
  const answer = useOperation('judges.diff', input);
  return (
    <section className={styles.compared} aria-label={texts.compared(from, to)}>
      <div className="line">
        <h3 className="second small grow">{texts.compared(from, to)}</h3>
        <CopyAs call={call} />
      </div>
      <Loaded answer={answer} call={call} rows={2}>
        {({ changes }) =>
          changes.length === 0 ? (
            <p className="third">{texts.same}</p>
          ) : (
            <ul className="stack">
              {changes.map((change) => (
                <Change key={change.path} change={change} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function Change({ change: { path, before, after } }: { change: JudgeChange }) {
  const shown = (value: unknown) => (value === undefined ? texts.absent : comparable(value));
  return (
    <li>
      <div className="mono">{path}</div>
      <div className={`${styles.before} small`}>
        <span className="unseen">{texts.change.before}: </span>
        <span className={before === undefined ? 'third' : 'bad'}>{shown(before)}</span>
      </div>
      <div className={`${styles.after} small`}>
        <span className="unseen">{texts.change.after}: </span>
        <span className={after === undefined ? 'third' : 'good'}>{shown(after)}</span>
      </div>
    </li>
  );
}

const columnsAt = (now: number): readonly Column<PastJudge>[] => [
  {
    id: 'version',
    head: texts.columns.version,
    width: 76,
    phone: 'name',
    cell: ({ version }) => <span className="strong">{evaluation.judges.version(version)}</span>,
  },
  {
    id: 'by',
    head: texts.columns.by,
    phone: 'detail',
    cell: ({ agent_id }) => <a href={hrefOf('agents', agent_id)}>{agent_id}</a>,
  },
  ageColumn(texts.columns.at, now),
];
