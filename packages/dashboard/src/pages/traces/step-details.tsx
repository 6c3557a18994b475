import type { ReactNode } from 'react';
import { money, number } from '../../texts/format.ts';
import { traces } from '../../texts/traces.ts';
import { Code } from '../../ui/code.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { type Fact, Facts } from '../../ui/section.tsx';
import type { StepRecord, WholeTrace } from './steps.ts';
import styles from './traces.module.css';

const texts = traces.inspector;
type OfKind<K extends StepRecord['kind']> = Extract<StepRecord, { kind: K }>;

/** Something that a step carried: text as it is, anything else as JSON. */
export function Payload({ title, value, note }: { title: string; value: unknown; note?: ReactNode }) {
  if (isNothing(value)) return null;
  return (
    <div className={styles.payload}>
      <h3>
        {title} {note && <span className="third">{note}</span>}
      </h3>
      {typeof value === 'string' ? (
        <Code label={title} text={value} wrap copy={value.length > 200} />
      ) : (
        <JsonTree label={title} value={value} />
      )}
    </div>
  );
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value as object).length === 0);

/** What was recorded beside the members that every such step has. */
function Others({ of, known }: { of: object; known: readonly string[] }) {
  const left = Object.entries(of).filter(
    ([name, value]) => !known.includes(name) && !isNothing(value) && value !== false,
  );
  return <Payload title={texts.more} value={Object.fromEntries(left)} />;
}

export function ToolDetails({ call, when }: { call: OfKind<'tool'>['call']; when: Fact }) {
  return (
    <>
      <Facts facts={call.source === null ? [when] : [when, { name: texts.source, value: call.source }]} />
      <Payload title={texts.arguments} value={call.arguments} />
      <Payload title={texts.resultOf} value={call.result_summary} />
      <Others of={call} known={TOOL_MEMBERS} />
    </>
  );
}
const TOOL_MEMBERS = [
  ...['tool_name', 'arguments', 'result_summary', 'started_at', 'duration_ms', 'source', 'success', 'recorded_at'],
];

export function CallDetails({ call, span, when }: Pick<OfKind<'llm'>, 'call' | 'span'> & { when: Fact }) {
  const { model, provider, input_tokens, output_tokens, cost_usd } = call;
  return (
    <>
      <Facts
        facts={[
          when,
          { name: texts.model, value: model },
          { name: texts.provider, value: provider },
          { name: texts.tokensIn, value: number(input_tokens) },
          { name: texts.tokensOut, value: number(output_tokens) },
          { name: texts.cost, value: cost_usd === null ? texts.costUnknown : money(cost_usd) },
        ]}
      />
      {span && <Payloads span={span} />}
      <Others of={call} known={CALL_MEMBERS} />
    </>
  );
}
const CALL_MEMBERS = [
  ...['call_id', 'model', 'provider', 'input_tokens', 'output_tokens', 'cost_usd', 'latency_ms', 'started_at'],
  'recorded_at',
];

type Span = WholeTrace['session_metadata']['spans'][number];

function Payloads({ span: { error, input, output, input_truncated, output_truncated, attributes } }: { span: Span }) {
  return (
    <>
      <Payload title={texts.error} value={error} />
      <Payload title={texts.input} value={input} note={input_truncated === true && texts.cut} />
      <Payload title={texts.output} value={output} note={output_truncated === true && texts.cut} />
      <Payload title={texts.attributes} value={attributes} />
    </>
  );
}

export function SpanDetails({ span, when }: { span: Span; when: Fact }) {
  return (
    <>
      <Facts
        facts={[
          when,
          { name: texts.kindOf, value: span.kind },
          {
            name: texts.status,
            value: <span className={span.status === 'error' ? 'bad' : undefined}>{span.status}</span>,
          },
        ]}
      />
      <Payloads span={span} />
      <Others of={span} known={SPAN_MEMBERS} />
    </>
  );
}
const SPAN_MEMBERS = [
  ...['span_id', 'parent_span_id', 'name', 'kind', 'status', 'error', 'started_at', 'ended_at', 'duration_ms'],
  ...['input', 'output', 'input_truncated', 'output_truncated', 'attributes', 'recorded_at'],
];

export function QueryDetails({ query, when }: { query: OfKind<'query'>['query']; when: Fact }) {
  return (
    <>
      <Facts facts={[when, { name: texts.found, value: number(query.result_count) }]} />
      <Payload title={texts.parameters} value={query.parameters} />
    </>
  );
}

export function ErrorDetails({ error, when }: { error: OfKind<'error'>['error']; when: Fact }) {
  return (
    <>
      <Facts facts={[when, { name: texts.operation, value: error.operation }]} />
      <Payload title={texts.error} value={error.message} />
      <Payload title={texts.stack} value={error.stack_trace} />
    </>
  );
}

export function ContextDetails({ context, when }: { context: OfKind<'context'>['context']; when: Fact }) {
  return (
    <>
      <Facts facts={context.source === null ? [when] : [when, { name: texts.source, value: context.source }]} />
      <Payload title={texts.summary} value={context.summary} />
    </>
  );
}
