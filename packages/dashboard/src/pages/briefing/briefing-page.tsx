import { useId, useState } from 'react';
import { useOperation } from '../../data/query.ts';
import { useBranchRefresh } from '../../data/use-refresh.ts';
import { numberParameter, textParameter, useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { briefing as texts } from '../../texts/briefing.ts';
import { dayAndTime } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Figures } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { RefField } from '../branches/ref-field.tsx';
import { BriefedSections } from './briefed-sections.tsx';
import styles from './briefing.module.css';
import type { WholeBriefing } from './briefing-data.ts';

const parameters = {
  agent: textParameter(),
  path: textParameter(),
  branch: textParameter('main'),
  tokens: numberParameter(0),
};
const EVENTS: ReadonlySet<string> = new Set([
  'write',
  'delete',
  'commit',
  'outcome',
  'erase',
  'brief_compiled',
  'rollback',
]);
const MOST_AGENTS = 200;

/** What an agent is told before its work begins. */
export function BriefingPage() {
  useCrumbs([{ label: texts.title }]);
  useBranchRefresh(EVENTS, ['briefing.read']);
  const [asked] = useSearch(parameters);
  const { agent, path, branch, tokens } = asked;
  const input = {
    branch,
    ...(agent === '' ? {} : { agent }),
    ...(path === '' ? {} : { entity_path: path }),
    ...(tokens > 0 ? { max_tokens: tokens } : {}),
  };
  const call = { name: 'briefing.read', input } as const;
  const read = useOperation('briefing.read', input);
  return (
    <>
      <div className={styles.title}>
        <h1>{texts.title}</h1>
        <span className="third wide-only">{texts.note}</span>
        <span className="grow" />
        <CopyAs call={call} />
      </div>
      <AskedFor key={`${agent} ${path} ${branch} ${tokens}`} />
      <div className={styles.answer}>
        <Loaded answer={read} call={call} rows={8}>
          {(briefing) => (
            <>
              <About briefing={briefing} />
              <BriefedSections briefing={briefing} branch={branch} />
            </>
          )}
        </Loaded>
      </div>
    </>
  );
}

function AskedFor() {
  const id = useId();
  const [asked, set] = useSearch(parameters);
  const [form, setForm] = useState({ ...asked, tokens: asked.tokens > 0 ? String(asked.tokens) : '' });
  const agents = useOperation('agents.list', { limit: MOST_AGENTS });
  const fields = texts.form;
  return (
    <form
      className={styles.form}
      aria-label={texts.title}
      onSubmit={(event) => {
        event.preventDefault();
        set({ ...form, tokens: Number(form.tokens) }, { replace: false });
      }}
    >
      <Field label={fields.agent}>
        {(field) => (
          <>
            <input
              {...field}
              list={`${id}-agents`}
              value={form.agent}
              placeholder={fields.agentNone}
              autoComplete="off"
              spellCheck={false}
              data-page-search
              onChange={(event) => setForm({ ...form, agent: event.target.value })}
            />
            <datalist id={`${id}-agents`}>
              {agents.data?.agents.map(({ agent_id }) => (
                <option key={agent_id} value={agent_id} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <Field label={fields.path}>
        {(field) => (
          <input
            {...field}
            className={`${field.className} mono`}
            value={form.path}
            placeholder={fields.pathHint}
            spellCheck={false}
            onChange={(event) => setForm({ ...form, path: event.target.value })}
          />
        )}
      </Field>
      <RefField
        label={fields.branch}
        value={form.branch}
        onChange={(branch) => setForm({ ...form, branch })}
        isRequired
      />
      <Field label={fields.tokens}>
        {(field) => (
          <input
            {...field}
            type="number"
            min="1"
            max="1000000"
            value={form.tokens}
            placeholder={fields.tokensHint}
            onChange={(event) => setForm({ ...form, tokens: event.target.value })}
          />
        )}
      </Field>
      <div className={styles.formEnd}>
        <Button kind="ink" submit>
          {fields.submit}
        </Button>
      </div>
    </form>
  );
}

function About({ briefing }: { briefing: WholeBriefing }) {
  const { agent_id, last_visit, tokens, digests, total, next_steps, left_out, consolidation_notice } = briefing;
  return (
    <>
      <div className={styles.figures}>
        <Figures
          figures={[
            { label: texts.facts.agent, value: <span className={styles.agent}>{agent_id}</span> },
            {
              label: texts.facts.visit,
              value: <span className={styles.agent}>{last_visit ? dayAndTime(last_visit.at) : texts.facts.never}</span>,
            },
            { label: texts.facts.tokens, value: <span className={styles.agent}>{texts.facts.tokensOf(tokens)}</span> },
            {
              label: texts.facts.digests,
              value: <span className={styles.agent}>{texts.facts.digestsOf(digests.length, total)}</span>,
            },
          ]}
        />
        {left_out.length > 0 && (
          <p className="warn small">
            {texts.leftOut}:{' '}
            {left_out.map(({ section, count }) => texts.leftOutOf(count, texts.sections[section])).join(', ')}
          </p>
        )}
      </div>
      {next_steps.length > 0 && (
        <Section title={texts.nextSteps}>
          <ol className={styles.steps}>
            {next_steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </Section>
      )}
      {consolidation_notice && (
        <Section title={texts.proposals}>
          <p>{consolidation_notice.message}</p>
        </Section>
      )}
    </>
  );
}
